#include "cli/rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/nearest_name.h"
#include "base/strings.h"
#include "cli/common_options.h"
#include "cli/exit_codes.h"
#include "cli/gather_graph.h"
#include "cli/graph_resources.h"
#include "dynamo/model/labels.h"
#include "dynamo/view/chain.h"
#include "dynamo/view/history.h"
#include "dynamo/view/rollout.h"
#include "json/time.h"
#include "kube/client/await.h"

namespace hearth::cli {
namespace {

using command_line::kExitOk;
using command_line::Terminal;
using json::Value;
using kube::Object;
using State = dynamo::Rollout::State;

constexpr Duration kPatience = std::chrono::seconds(30);  // for what is not waited for

constexpr const char* kNotes =
    R"(Verbs:
  status   Waits until what was asked of the graph is done, and says which component waits for what;
           --watch=false only says how far it is
  history  The pod templates that ran, and their checkpoints, as far as the cluster still knows them
  restart  Asks for a restart of all components (spec.restart.id)

Exit codes:
  0  done; status --watch=false: done or under way
  1  it failed
  2  the command line makes no sense, there is no such graph, or the cluster cannot be asked
  3  the time was over before it was done
)";

class RolloutCommand : public command_line::Command {
 public:
  void AddOptions(OptionTable& table) override {
    table.AddPositional({.name = "verb",
                         .help = "What to do",
                         .target = &verb_,
                         .required = true,
                         .choices = {"status", "history", "restart"}});
    table.AddPositional({.name = "graph",
                         .help = "Name of a DynamoGraphDeployment",
                         .target = &graph_,
                         .required = true});
    table.Add({.name = "watch", .help = "status: wait for the end", .target = &watch_});
    table.Add({.name = "id",
               .help = "restart: what it is called; the time without it",
               .target = &id_,
               .value_name = "id"});
    table.Add({.name = "strategy",
               .help = "restart: one component after the other, or all at once; as the graph says "
                       "without it",
               .target = &strategy_,
               .choices = {"Sequential", "Parallel"}});
    table.Add({.name = "order",
               .help = "restart: components in the order in which they restart; may be repeated",
               .target = &order_,
               .value_name = "component"});
    table.Add({.name = "wait", .help = "restart: return when it is done", .target = &wait_});
    common_.cluster.timeout = std::chrono::minutes(10);
    common_.AddTo(table, false, "How long is waited for the end");
    table.AddNotes(kNotes);
  }

  int Run(Terminal& terminal) override {
    const auto code = Do(terminal);
    return code.ok() ? *code : Fail(terminal, "rollout", code.status());
  }

 private:
  Result<int> Do(Terminal& terminal) {
    ASSIGN_OR_RETURN(cluster_, Cluster::Connect(common_.cluster.request));
    key_ = {common_.NamespaceIn(*cluster_), graph_};
    ASSIGN_OR_RETURN(const Object graph, GetNamed(client(), Graphs(), key_, Soon(terminal)));
    if (verb_ == "history") {
      return History(terminal);
    }
    if (verb_ == "restart") {
      return Restart(terminal, graph);
    }
    if (watch_) {
      return Await(terminal);
    }
    const dynamo::Rollout rollout = dynamo::Rollout::Of(graph.view());
    Print(terminal, rollout, {});
    return rollout.state == State::kFailed ? kExitFailed : kExitOk;
  }

  kube::Client& client() { return cluster_->client(); }
  WaitLimit Soon(const Terminal& terminal) const {
    return WaitLimit::For(RealClock(), kPatience, terminal.stop);
  }

  Result<int> History(Terminal& terminal) {
    const WaitLimit limit = Soon(terminal);
    ASSIGN_OR_RETURN(const auto objects, GatherGraph(client(), key_, limit));
    const std::string of_graph = fmt::format("{}={}", dynamo::kGraphLabel, graph_);
    ASSIGN_OR_RETURN(const auto sets,
                     ListAll(client(), ReplicaSets(), key_.name_space, of_graph, limit));
    const dynamo::History history = dynamo::HistoryOf(objects, sets);
    terminal.out << (common_.json() ? dynamo::ToJson(history).WritePretty()
                                    : dynamo::ToText(history, RealClock().WallNow()));
    return kExitOk;
  }

  // ---- Restarts.

  Result<int> Restart(Terminal& terminal, const Object& graph) {
    const std::string id = id_.empty() ? json::Time{RealClock().WallNow()}.ToString() : id_;
    RETURN_IF_ERROR(CheckOrder(graph));
    if (graph["spec"]["restart"]["id"].Equals(id)) {
      return InvalidError(
          fmt::format("restart {} was asked for before; say another --id to restart again", id));
    }
    Value patch;
    patch.MakePath("metadata").Set("resourceVersion", graph.meta().resource_version());
    Value& restart = patch.MakePath("spec.restart");
    restart.Set("id", id);
    if (!strategy_.empty() || !order_.empty()) {
      restart.Set("strategy", Strategy());
    }
    const json::Blob body = patch.ToBlob();
    ASSIGN_OR_RETURN(const Object changed, client().Patch(Graphs(), key_, kube::PatchType::kMerge,
                                                          body.view(), Soon(terminal)));
    const std::string phase = graph["status"]["restart"]["phase"].StringOr("");
    if (phase == "Pending" || phase == "Restarting") {
      terminal.err << fmt::format("restart {} was not done yet; it is superseded\n",
                                  graph["status"]["restart"]["observedID"].StringOr(""));
    }
    if (wait_) {
      return Await(terminal);
    }
    if (common_.json()) {
      Print(terminal, dynamo::Rollout::Of(changed.view()), {});
    } else {
      terminal.out << fmt::format("graph {}: restart {} is asked for\n", key_.ToString(), id);
    }
    return kExitOk;
  }

  Value Strategy() const {
    Value strategy = Value::Object();
    if (!strategy_.empty()) {
      strategy.Set("type", strategy_);
    }
    for (const std::string& component : order_) {
      strategy["order"].Append(component);
    }
    return strategy;
  }

  Status CheckOrder(const Object& graph) const {
    std::vector<std::string> known;
    for (const json::View component : graph["spec"]["components"].items()) {
      known.push_back(component["name"].StringOr(""));
    }
    for (const std::string& name : order_) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        const std::string near = NearestName(name, known);
        return InvalidError(fmt::format("--order: graph {} has no component {}{}", graph_, name,
                                        near.empty() ? "" : "; did you mean " + near + "?"));
      }
    }
    return Status::Ok();
  }

  // ---- Waiting.

  Result<int> Await(Terminal& terminal) {
    dynamo::Rollout rollout;
    std::string told;
    const Status ended =
        kube::AwaitObject(client(), Graphs(), key_, common_.Limit(terminal),
                          [&](const Object& graph) -> Result<bool> {
                            rollout = dynamo::Rollout::Of(graph.view());
                            std::string text = dynamo::ToText(rollout);
                            if (rollout.state == State::kUnderWay && text != told) {
                              terminal.err << text << std::flush;
                              told = std::move(text);
                            }
                            return rollout.state != State::kUnderWay;
                          });
    if (ended.ok() && rollout.state == State::kDone) {
      Print(terminal, rollout, {});
      return kExitOk;
    }
    if (!ended.ok() && !ended.Is(Code::kDeadlineExceeded)) {
      return ended;
    }
    ASSIGN_OR_RETURN(const auto objects, GatherGraph(client(), key_, Soon(terminal)));
    Print(terminal, rollout, dynamo::ProblemLines(dynamo::MakeChain(objects)));
    if (ended.ok()) {
      return kExitFailed;
    }
    terminal.err << fmt::format("hearth rollout: not done after {}\n",
                                FormatDuration(common_.cluster.timeout));
    return kExitNotYet;
  }

  void Print(Terminal& terminal, const dynamo::Rollout& rollout,
             const std::vector<std::string>& stuck) const {
    if (common_.json()) {
      Value json = dynamo::ToJson(rollout);
      json.Set("stuck", Value::Array());
      for (const std::string& line : stuck) {
        json["stuck"].Append(line);
      }
      terminal.out << json.WritePretty();
      return;
    }
    terminal.out << dynamo::ToText(rollout);
    for (const std::string& line : stuck) {
      terminal.out << "  ! " << line << "\n";
    }
  }

  std::string verb_;
  std::string graph_;
  bool watch_ = true;
  std::string id_;
  std::string strategy_;
  std::vector<std::string> order_;
  bool wait_ = false;
  CommonOptions common_;
  std::unique_ptr<Cluster> cluster_;
  kube::ObjectKey key_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeRollout() { return std::make_unique<RolloutCommand>(); }

}  // namespace hearth::cli
