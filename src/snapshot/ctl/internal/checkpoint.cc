#include <fmt/format.h>

#include <ostream>

#include "base/strings.h"
#include "snapshot/ctl/internal/checkpoint_run.h"
#include "snapshot/ctl/internal/cluster_command.h"
#include "snapshot/ctl/internal/commands.h"
#include "snapshot/ctl/internal/local.h"
#include "snapshot/ctl/internal/pod_manifest.h"
#include "snapshot/protocol/checkpoint_id.h"

namespace hearth::snapshot::ctl {
namespace {

constexpr const char* kNone = "none";
constexpr const char* kZstd = "zstd";

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
    table.Add({.name = "pid",
               .help = "With --local: a process that is in no container",
               .target = &pid_,
               .check = Between(1, INT32_MAX)});
    table.Add({.name = "compression",
               .help = "With --local and --container: how its memory is compressed",
               .target = &compression_,
               .choices = {kNone, kZstd}});
    local_.AddTo(table);
    table.AddNotes(
        "Prints key=value lines when the snapshot is ready; what goes on is told on standard "
        "error.\nWhen it fails, the Job is deleted with its pod, and the PodSnapshot stays.\n"
        "With --local, --container is the id of a running container, and there is no manifest.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    return local_.on ? WorkLocally(terminal) : WorkInCluster(terminal);
  }

 private:
  Result<int> WorkInCluster(Terminal& terminal) {
    if (compression_ != kNone) {
      return InvalidError(
          "--compression is for --local; in a cluster it is capture.compression of the agents");
    }
    if (manifest_.empty()) {
      return InvalidError("--manifest is required (see snapshotctl help checkpoint)");
    }
    CheckpointOrder order;
    order.wrap_cuda = wrap_;
    ASSIGN_OR_RETURN(order.checkpoint_id, ChooseId());
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

  Result<int> WorkLocally(Terminal& terminal) {
    if (container_.empty() == (pid_ == 0) || !manifest_.empty()) {
      return InvalidError(
          "--local wants exactly one of --container and --pid, and no --manifest (see snapshotctl "
          "help checkpoint)");
    }
    if (pid_ != 0 && compression_ != kNone) {
      return InvalidError("--compression is for containers: CRIU writes the memory of processes");
    }
    LocalCapture order{.container = container_,
                       .pid = static_cast<int>(pid_),
                       .checkpoint_id = "",
                       .name_space = name_space_,
                       .compress = compression_ == kZstd};
    ASSIGN_OR_RETURN(order.checkpoint_id, ChooseId());
    ASSIGN_OR_RETURN(const agent::Captured captured,
                     CaptureLocally(local_, order, terminal, terminal.interactive && !json(),
                                    WaitLimit::For(RealClock(), timeout_, terminal.stop)));
    Value facts = Value::Object({{"status", "completed"},
                                 {"checkpoint_id", order.checkpoint_id},
                                 {"directory", captured.directory},
                                 {"root_digest", captured.root_digest},
                                 {"bytes", captured.bytes},
                                 {"stored_bytes", captured.stored_bytes}});
    facts.Set("phases", json() ? PhasesJson(captured.phases) : PhasesText(captured.phases));
    PrintFacts(terminal, facts, json());
    return kExitOk;
  }

  Result<std::string> ChooseId() const {
    std::string id(Trim(checkpoint_id_));
    id = id.empty() ? ManualCheckpointId(RealClock().WallNow()) : id;
    RETURN_IF_ERROR(CheckCheckpointId(id));
    return id;
  }

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
  int64_t pid_ = 0;
  std::string compression_ = kNone;
  LocalOptions local_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeCheckpoint() { return std::make_unique<Checkpoint>(); }

}  // namespace hearth::snapshot::ctl
