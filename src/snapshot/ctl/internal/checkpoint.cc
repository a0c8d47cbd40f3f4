#include <fmt/format.h>

#include <ostream>

#include "base/strings.h"
#include "snapshot/ctl/internal/checkpoint_run.h"
#include "snapshot/ctl/internal/cluster_command.h"
#include "snapshot/ctl/internal/commands.h"
#include "snapshot/ctl/internal/pod_manifest.h"
#include "snapshot/protocol/checkpoint_id.h"

namespace hearth::snapshot::ctl {
namespace {

class Checkpoint : public CtlCommand {
 public:
  Checkpoint() : CtlCommand("checkpoint") {}

 protected:
  void AddOwnOptions(OptionTable& table) override {
    table.Add({.name = "manifest",
               .help = "Pod to run and capture, YAML or JSON",
               .target = &manifest_,
               .value_name = "file"});
    table.Add({.name = "container",
               .help = "Container to capture; the manifest's annotation without it",
               .target = &container_});
    table.Add({.name = "checkpoint-id",
               .help = "Name of the artifact; a new one without it",
               .target = &checkpoint_id_});
    table.Add({.name = "namespace",
               .help = "Namespace; the manifest's, then the context's without it",
               .target = &name_space_,
               .letter = 'n'});
    table.Add({.name = "timeout",
               .help = "How long to wait for the snapshot",
               .target = &timeout_,
               .check = Positive()});
    table.Add({.name = "cuda-checkpoint-wrap",
               .help = "Start the container through cuda-checkpoint, for several GPUs",
               .target = &wrap_});
    cluster_.AddTo(table);
    table.AddNotes(
        "Prints key=value lines when the snapshot is ready; what goes on is told on standard "
        "error.\nWhen it fails, the Job is deleted with its pod, and the PodSnapshot stays.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    if (manifest_.empty()) {
      return InvalidError("--manifest is required (see snapshotctl help checkpoint)");
    }
    CheckpointOrder order;
    order.wrap_cuda = wrap_;
    order.checkpoint_id = std::string(Trim(checkpoint_id_));
    if (order.checkpoint_id.empty()) {
      order.checkpoint_id = ManualCheckpointId(RealClock().WallNow());
    }
    RETURN_IF_ERROR(CheckCheckpointId(order.checkpoint_id));
    ASSIGN_OR_RETURN(order.pod, LoadPodManifest(terminal.files, manifest_));
    ASSIGN_OR_RETURN(const auto targets, ReconcileTargets("container", container_, order.pod, 1));
    order.target = targets.front();
    ASSIGN_OR_RETURN(const auto cluster, cluster_.Connect());
    order.name_space = ChooseNamespace(name_space_, order.pod, cluster->name_space());
    const auto tell = [&](const std::string& text) {
      terminal.err << "snapshotctl checkpoint: " << text << std::endl;
    };
    ASSIGN_OR_RETURN(
        const CheckpointResult result,
        RunCheckpoint(*cluster, order, tell, WaitLimit::For(RealClock(), timeout_, terminal.stop)));
    PrintFacts(terminal, FactsOf(order, result), json());
    return kExitOk;
  }

 private:
  static Value FactsOf(const CheckpointOrder& order, const CheckpointResult& result) {
    Value facts = Value::Object({{"status", "completed"},
                                 {"namespace", order.name_space},
                                 {"name", *order.pod.FindPath("metadata.name")},
                                 {"checkpoint_job", result.job},
                                 {"checkpoint_id", order.checkpoint_id},
                                 {"pod_snapshot", result.pod_snapshot}});
    if (!result.content.empty()) {
      facts.Set("bound_content", result.content);
    }
    return facts;
  }

  std::string manifest_;
  std::string container_;
  std::string checkpoint_id_;
  std::string name_space_;
  Duration timeout_ = std::chrono::minutes(45);
  bool wrap_ = false;
  ClusterOptions cluster_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeCheckpoint() { return std::make_unique<Checkpoint>(); }

}  // namespace hearth::snapshot::ctl
