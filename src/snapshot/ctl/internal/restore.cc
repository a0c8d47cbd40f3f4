#include <fmt/format.h>

#include "base/clock.h"
#include "base/strings.h"
#include "json/patch.h"
#include "snapshot/ctl/internal/cluster_command.h"
#include "snapshot/ctl/internal/commands.h"
#include "snapshot/ctl/internal/local.h"
#include "snapshot/ctl/internal/pod_manifest.h"
#include "snapshot/protocol/checkpoint_id.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/shaping.h"
#include "snapshot/protocol/targets.h"

namespace hearth::snapshot::ctl {
namespace {

constexpr Duration kLimit = std::chrono::seconds(30);

void SetTargets(Value& pod, const std::vector<std::string>& targets) {
  pod["metadata"]["annotations"].Set(kTargetsAnnotation, FormatTargets(targets));
}

// Labels and annotations alone, for the patch from one to the other.
Value MarksOf(const Value& pod) {
  Value marks = Value::Object();
  for (const std::string_view field : {"labels", "annotations"}) {
    const Value* const value = pod.Find("metadata")->Find(field);
    marks["metadata"].Set(field, value == nullptr ? Value::Object() : *value);
  }
  return marks;
}

class Restore : public CtlCommand {
 public:
  Restore() : CtlCommand("restore") {}

 protected:
  void AddOwnOptions(OptionTable& table) override {
    table.Add({.name = "manifest",
               .help = "Pod to make and restore into, YAML or JSON",
               .target = &manifest_,
               .value_name = "file"});
    table.Add({.name = "pod", .help = "Pod that is there, to restore into", .target = &pod_});
    table.Add(
        {.name = "checkpoint-id", .help = "Which artifact to restore", .target = &checkpoint_id_});
    table.Add({.name = "containers",
               .help = "Containers to restore into, with commas between; the annotation without "
                       "it",
               .target = &containers_});
    table.Add({.name = "namespace",
               .help = "Namespace; the manifest's, then the context's without it",
               .target = &name_space_,
               .letter = 'n'});
    cluster_.AddTo(table);
    local_.AddTo(table);
    table.Add({.name = "nsrestore",
               .help = "With --local: the program that restores within a container; the one beside "
                       "this program without it",
               .target = &local_.nsrestore,
               .value_name = "file"});
    table.Add({.name = "any-image",
               .help = "With --local: also into a container of another image than the one that "
                       "was captured",
               .target = &any_image_});
    table.AddNotes(
        "With --local, --containers is the id of one container that waits for the restore; without "
        "it\nprocesses that were in no container come back on this machine.\n"
        "Otherwise give exactly one of --manifest and --pod. Prints key=value lines as soon as the "
        "request "
        "is\naccepted; the annotations nvidia.com/snapshot-restore-status.<container> tell how it "
        "ends.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    RETURN_IF_ERROR(CheckOptions());
    if (local_.on) {
      return WorkLocally(terminal);
    }
    options_ = {.namespace_name = "",
                .checkpoint_id = std::string(Trim(checkpoint_id_)),
                .artifact_version = "1",
                .seccomp_profile = std::string(kSeccompProfile)};
    RETURN_IF_ERROR(CheckCheckpointId(options_.checkpoint_id));
    ASSIGN_OR_RETURN(const std::string name,
                     manifest_.empty() ? IntoPod(terminal) : FromManifest(terminal));
    PrintFacts(terminal,
               Value::Object({{"status", "requested"},
                              {"namespace", options_.namespace_name},
                              {"name", name},
                              {"restore_pod", name},
                              {"checkpoint_id", options_.checkpoint_id}}),
               json());
    return kExitOk;
  }

 private:
  Status CheckOptions() const {
    if (local_.on && !(manifest_.empty() && pod_.empty())) {
      return InvalidError("--local takes neither --manifest nor --pod");
    }
    if (!local_.on && manifest_.empty() == pod_.empty()) {
      return InvalidError(
          "exactly one of --manifest and --pod is required (see snapshotctl help restore)");
    }
    return Trim(checkpoint_id_).empty() ? InvalidError("--checkpoint-id is required") : Status();
  }

  Result<int> WorkLocally(Terminal& terminal) {
    const LocalRestore order{.container = std::string(Trim(containers_)),
                             .checkpoint_id = std::string(Trim(checkpoint_id_)),
                             .name_space = name_space_,
                             .any_image = any_image_};
    ASSIGN_OR_RETURN(const agent::RestoredContainer restored,
                     RestoreLocally(local_, order, terminal, terminal.interactive && !json(),
                                    {.deadline = SteadyTime::max(), .stop = terminal.stop}));
    Value facts = Value::Object({{"status", "completed"},
                                 {"checkpoint_id", order.checkpoint_id},
                                 {"pid", restored.pid},
                                 {"root_digest", restored.root_digest},
                                 {"bytes", restored.bytes},
                                 {"dropped_connections", restored.dropped_connections}});
    facts.Set("phases", json() ? PhasesJson(restored.phases) : PhasesText(restored.phases));
    PrintFacts(terminal, facts, json());
    return kExitOk;
  }

  Result<std::string> FromManifest(Terminal& terminal) {
    ASSIGN_OR_RETURN(Value pod, LoadPodManifest(terminal.files, manifest_));
    ASSIGN_OR_RETURN(const auto targets, ReconcileTargets("containers", containers_, pod, 0));
    SetTargets(pod, targets);
    ASSIGN_OR_RETURN(const auto cluster, cluster_.Connect());
    options_.namespace_name = ChooseNamespace(name_space_, pod, cluster->name_space());
    ASSIGN_OR_RETURN(const Value shaped, RestorePod(pod, options_));
    const std::string name = shaped.FindPath("metadata.name")->StringOr("");
    const json::Blob body = shaped.ToBlob();
    const auto made = cluster->client().Create(kube::types::Pods(), options_.namespace_name,
                                               body.view(), Limit(terminal));
    if (made.status().Is(Code::kAlreadyExists)) {
      return AlreadyExistsError(
          fmt::format("restore pod {}/{} already exists: delete it, or restore into it with --pod",
                      options_.namespace_name, name));
    }
    RETURN_IF_ERROR(made);
    return name;
  }

  Result<std::string> IntoPod(Terminal& terminal) {
    ASSIGN_OR_RETURN(const auto cluster, cluster_.Connect());
    options_.namespace_name = ChooseNamespace(name_space_, Value::Object(), cluster->name_space());
    const kube::ObjectKey key{options_.namespace_name, pod_};
    ASSIGN_OR_RETURN(const kube::Object live,
                     cluster->client().Get(kube::types::Pods(), key, Limit(terminal)));
    Value pod = live.ToValue();
    ASSIGN_OR_RETURN(const auto targets, TargetsFor(pod));
    SetTargets(pod, targets);
    ApplyRestoreMetadata(pod, options_);
    if (const Status valid = ValidateRestorePod(pod, options_.seccomp_profile); !valid.ok()) {
      return valid.WithContext(fmt::format("pod {} cannot be restored into", key.ToString()));
    }
    // What is dropped is null in the patch: a pod that still says it was restored stays so.
    ASSIGN_OR_RETURN(const Value patch,
                     json::DiffMergePatch(MarksOf(live.ToValue()), MarksOf(pod)));
    const json::Blob body = patch.ToBlob();
    RETURN_IF_ERROR(cluster->client().Patch(kube::types::Pods(), key, kube::PatchType::kMerge,
                                            body.view(), Limit(terminal)));
    return pod_;
  }

  // A pod whose annotation is of an earlier restore may be told other containers.
  Result<std::vector<std::string>> TargetsFor(const Value& pod) const {
    ASSIGN_OR_RETURN(auto asked, ParseTargets(containers_).WithContext("--containers"));
    return asked.empty() ? ReconcileTargets("containers", "", pod, 0)
                         : Result<std::vector<std::string>>(std::move(asked));
  }

  static WaitLimit Limit(const Terminal& terminal) {
    return WaitLimit::For(RealClock(), kLimit, terminal.stop);
  }

  std::string manifest_;
  std::string pod_;
  std::string checkpoint_id_;
  std::string containers_;
  bool any_image_ = false;
  std::string name_space_;
  ClusterOptions cluster_;
  LocalOptions local_;
  RestoreOptions options_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeRestore() { return std::make_unique<Restore>(); }

}  // namespace hearth::snapshot::ctl
