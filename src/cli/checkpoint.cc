#include "cli/checkpoint.h"

#include <fmt/format.h>

#include <ostream>

#include "base/strings.h"
#include "cli/common_options.h"
#include "cli/exit_codes.h"
#include "cli/gather_graph.h"
#include "cli/graph_resources.h"
#include "dynamo/model/labels.h"
#include "dynamo/view/chain.h"
#include "dynamo/view/checkpoint_list.h"
#include "kube/client/await.h"
#include "snapshot/protocol/checkpoint_id.h"
#include "snapshot/protocol/names.h"

namespace hearth::cli {
namespace {

using command_line::kExitOk;
using command_line::Terminal;
using dynamo::Captured;
using dynamo::CheckpointEntry;
using json::Value;
using kube::Object;

constexpr int kExitStuck = 1;
constexpr Duration kPatience = std::chrono::seconds(30);  // for what is not waited for

constexpr const char* kNotes =
    R"(Verbs:
  list       All checkpoints, of one graph with --graph
  show       One, down to the pod that is captured, and why it is stuck
  wait       Until it is ready
  retry      Captures one that failed anew, under the next artifact version
  recapture  The same of one that is ready; what was captured before stays until the new one is
  delete     Deletes it; refused without --force while graphs use it

Exit codes:
  0  done; with wait or --wait: it is ready, or gone
  1  show: something is stuck; wait: it failed
  2  the command line makes no sense, there is no such checkpoint, it cannot be done, or the cluster
     cannot be asked
  3  the time was over before it was ready or gone
)";

class Checkpoint : public command_line::Command {
 public:
  void AddOptions(OptionTable& table) override {
    table.AddPositional({.name = "verb",
                         .help = "What to do",
                         .target = &verb_,
                         .required = true,
                         .choices = {"list", "show", "wait", "retry", "recapture", "delete"}});
    table.AddPositional({.name = "name", .help = "Of a DynamoCheckpoint", .target = &name_});
    table.Add({.name = "graph",
               .help = "list: only checkpoints of this graph",
               .target = &graph_,
               .value_name = "name"});
    table.Add({.name = "artifact-version",
               .help = "retry, recapture: this version instead of the next one",
               .target = &version_,
               .value_name = "version"});
    table.Add({.name = "wait",
               .help = "retry, recapture, delete: return when it is done",
               .target = &wait_});
    table.Add({.name = "force", .help = "delete: also when graphs use it", .target = &force_});
    common_.cluster.timeout = std::chrono::minutes(30);
    common_.AddTo(table, true, "How long is waited for the end");
    table.AddNotes(kNotes);
  }

  int Run(Terminal& terminal) override {
    const auto code = Do(terminal);
    return code.ok() ? *code : Fail(terminal, "checkpoint", code.status());
  }

 private:
  Result<int> Do(Terminal& terminal) {
    if ((verb_ == "list") != name_.empty()) {
      return InvalidError(verb_ == "list" ? "list takes no name; show does"
                                          : fmt::format("{} needs the name of one", verb_));
    }
    if (common_.all_namespaces && verb_ != "list") {
      return InvalidError("a name is looked for in one namespace; leave out -A");
    }
    ASSIGN_OR_RETURN(cluster_, Cluster::Connect(common_.cluster.request));
    key_ = {common_.NamespaceIn(*cluster_), name_};
    if (verb_ == "list") {
      return List(terminal);
    }
    if (verb_ == "show") {
      return Show(terminal);
    }
    ASSIGN_OR_RETURN(const Object found, GetNamed(client(), Checkpoints(), key_, Soon(terminal)));
    if (verb_ == "wait") {
      return Wait(terminal, VersionOf(found));
    }
    return verb_ == "delete" ? Delete(terminal, found) : CaptureAnew(terminal, found);
  }

  kube::Client& client() { return cluster_->client(); }
  WaitLimit Soon(const Terminal& terminal) const {
    return common_.Limit(terminal).AtMost(RealClock(), kPatience);
  }
  static std::string VersionOf(const Object& checkpoint) {
    return snapshot::ArtifactVersionOr1(
        checkpoint.meta().annotation(snapshot::kVersionAnnotation).value_or(""));
  }

  Result<int> List(Terminal& terminal) {
    const std::string selector =
        graph_.empty() ? "" : fmt::format("{}={}", dynamo::kGraphLabel, graph_);
    const auto found = ListAll(client(), Checkpoints(), key_.name_space, selector, Soon(terminal));
    if (!found.ok()) {
      return found.status().Is(Code::kNotFound) ? UnknownKind(Checkpoints()) : found.status();
    }
    std::vector<CheckpointEntry> entries;
    for (const Object& checkpoint : *found) {
      entries.push_back(CheckpointEntry::Of(checkpoint.view()));
    }
    if (common_.json()) {
      terminal.out << dynamo::ToJson(entries).WritePretty();
    } else if (entries.empty()) {
      terminal.err << "there are no checkpoints here\n";
    } else {
      terminal.out << dynamo::ToText(entries, common_.all_namespaces, RealClock().WallNow());
    }
    return kExitOk;
  }

  Result<int> Show(Terminal& terminal) {
    ASSIGN_OR_RETURN(const auto objects, GatherCheckpoint(client(), key_, Soon(terminal)));
    const dynamo::ChainNode chain = dynamo::MakeCheckpointChain(objects, key_);
    terminal.out << (common_.json()
                         ? dynamo::ToJson(chain, objects.unread, "checkpoint").WritePretty()
                         : dynamo::ToText(chain, objects.unread));
    return dynamo::Summarize(chain).stuck() ? kExitStuck : kExitOk;
  }

  // ---- Changes.

  Result<int> CaptureAnew(Terminal& terminal, const Object& found) {
    ASSIGN_OR_RETURN(const std::string version,
                     dynamo::VersionToCapture(found.view(), verb_ == "recapture", version_));
    Value patch;
    patch.MakePath("metadata").Set("resourceVersion", found.meta().resource_version());
    patch.MakePath("metadata.annotations").Set(snapshot::kVersionAnnotation, version);
    const json::Blob body = patch.ToBlob();
    RETURN_IF_ERROR(
        client()
            .Patch(Checkpoints(), key_, kube::PatchType::kMerge, body.view(), Soon(terminal))
            .status());
    terminal.err << fmt::format("DynamoCheckpoint {} is captured anew as version {}, after {}\n",
                                key_.ToString(), version, VersionOf(found));
    if (wait_) {
      return Wait(terminal, version);
    }
    Print(terminal, "Requested", version, "");
    return kExitOk;
  }

  Result<int> Delete(Terminal& terminal, const Object& found) {
    ASSIGN_OR_RETURN(const std::vector<std::string> users, Users(terminal));
    if (!users.empty() && !force_) {
      return InvalidError(fmt::format(
          "DynamoCheckpoint {} is used by {}; without it they start cold, and the operator may "
          "capture it again; --force deletes it all the same",
          name_, Join(users, ", ")));
    }
    ASSIGN_OR_RETURN(const auto outcome,
                     client().Delete(Checkpoints(), key_, Soon(terminal),
                                     {.propagation = "Background", .uid = found.meta().uid()}));
    bool gone = outcome.gone;
    if (wait_ && !gone) {
      const Status ended = kube::AwaitObject(client(), Checkpoints(), key_, common_.Limit(terminal),
                                             [&](const Object& object) -> Result<bool> {
                                               return object.meta().uid() != found.meta().uid();
                                             });
      if (ended.Is(Code::kDeadlineExceeded)) {
        return NotYet(terminal);
      }
      gone = ended.ok() || ended.Is(Code::kNotFound);
      RETURN_IF_ERROR(gone ? Status::Ok() : ended);
    }
    Print(terminal, gone ? "Deleted" : "Terminating", VersionOf(found), "");
    return kExitOk;
  }

  // Components that use it, as far as graphs may be read.
  Result<std::vector<std::string>> Users(const Terminal& terminal) {
    std::vector<std::string> users;
    const auto graphs = ListAll(client(), Graphs(), key_.name_space, "", Soon(terminal));
    if (!graphs.ok()) {
      return graphs.status().Is(Code::kNotFound) ? Result(users) : graphs.status();
    }
    for (const Object& graph : *graphs) {
      for (std::string& user : dynamo::UsersOf(name_, graph.view())) {
        users.push_back(std::move(user));
      }
    }
    return users;
  }

  // ---- Waiting.

  Result<int> Wait(Terminal& terminal, const std::string& version) {
    Captured captured = Captured::kNotYet;
    CheckpointEntry last;
    const Status ended =
        kube::AwaitObject(client(), Checkpoints(), key_, common_.Limit(terminal),
                          [&](const Object& object) -> Result<bool> {
                            captured = dynamo::HowFar(object.view(), version);
                            CheckpointEntry entry = CheckpointEntry::Of(object.view());
                            if (entry.phase != last.phase && captured == Captured::kNotYet) {
                              // What is over is of an earlier version.
                              const bool old = entry.phase == "Ready" || entry.phase == "Failed";
                              terminal.err << "DynamoCheckpoint " << key_.ToString() << " is "
                                           << (old ? "not begun" : entry.phase) << "\n";
                            }
                            last = std::move(entry);
                            return captured != Captured::kNotYet;
                          });
    if (ended.Is(Code::kDeadlineExceeded)) {
      return NotYet(terminal);
    }
    RETURN_IF_ERROR(ended);
    const bool ready = captured == Captured::kReady;
    Print(terminal, ready ? "Ready" : "Failed", version,
          ready ? "" : dynamo::ToText(dynamo::Problem{last.reason, last.message}));
    return ready ? kExitOk : kExitFailed;
  }

  // Says what it still waits for.
  Result<int> NotYet(Terminal& terminal) {
    const WaitLimit limit = WaitLimit::For(RealClock(), kPatience, terminal.stop);
    ASSIGN_OR_RETURN(const auto objects, GatherCheckpoint(client(), key_, limit));
    const dynamo::ChainNode chain = dynamo::MakeCheckpointChain(objects, key_);
    for (const std::string& line : dynamo::ProblemLines(chain)) {
      terminal.err << line << "\n";
    }
    Print(terminal, "NotYet", chain.version,
          fmt::format("after {} it is {}{}{}", FormatDuration(common_.cluster.timeout),
                      chain.status, chain.waits_for.empty() ? "" : ": ", chain.waits_for));
    return kExitNotYet;
  }

  void Print(Terminal& terminal, const std::string& state, const std::string& version,
             const std::string& message) const {
    if (common_.json()) {
      terminal.out << Value::Object({{"namespace", key_.name_space},
                                     {"name", key_.name},
                                     {"state", state},
                                     {"version", version},
                                     {"message", message}})
                          .WritePretty();
      return;
    }
    terminal.out << fmt::format("checkpoint {} version {}: {}{}{}\n", key_.ToString(), version,
                                state, message.empty() ? "" : ": ", Excerpt(message, 1024));
  }

  std::string verb_;
  std::string name_;
  std::string graph_;
  std::string version_;
  bool wait_ = false;
  bool force_ = false;
  CommonOptions common_;
  std::unique_ptr<Cluster> cluster_;
  kube::ObjectKey key_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeCheckpoint() { return std::make_unique<Checkpoint>(); }

}  // namespace hearth::cli
