#include "agent/work/real_work.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "agent/container/await_container.h"
#include "agent/container/pinned_process.h"
#include "agent/host/control_directory.h"
#include "agent/host/process_facts.h"
#include "agent/host/restored_processes.h"
#include "agent/work/kill_container.h"
#include "agent/work/sentinel_wait.h"
#include "base/guarded.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/artifact/store.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent {
namespace {

// Questions to the runtime that come with no limit of their own.
constexpr Duration kQuestion = std::chrono::seconds(30);
// For what the kernel does not tell of.
constexpr Duration kLookAgain = std::chrono::seconds(1);
// As upstream's agents write it.
constexpr std::string_view kSentinelContent = "done\n";

node::Phases PhasesOf(const std::vector<Phase>& phases) {
  node::Phases pairs;
  for (const Phase& phase : phases) {
    pairs.emplace_back(phase.name, phase.took);
  }
  return pairs;
}

class RealWork : public node::NodeWork {
 public:
  RealWork(const RealWorkOptions& options, const RealWorkParts& parts,
           snapshot::StorageLayout storage, criu::Program criu)
      : options_(options),
        parts_(parts),
        storage_(std::move(storage)),
        criu_(std::move(criu)),
        proc_(options.host_proc) {}

  Result<Stored> Look(std::string_view checkpoint_id, std::string_view version) override {
    ASSIGN_OR_RETURN(const std::string directory, storage_.Artifact(checkpoint_id, version));
    const auto artifact = snapshot::Artifact::Open(directory);
    if (artifact.status().Is(Code::kNotFound)) {
      return Stored();
    }
    if (artifact.status().Is(Code::kDataLoss)) {
      return Damaged(directory, artifact.status());
    }
    RETURN_IF_ERROR(artifact.status());
    const auto& manifest = artifact->manifest();
    return Stored{.present = true,
                  .content_uid = manifest.content_uid,
                  .pod_namespace = manifest.source.pod_namespace,
                  .root_digest = artifact->RootHex(),
                  .bytes = artifact->contents().TotalBytes(),
                  .pod_uid = manifest.environment ? manifest.environment->pod_uid : "",
                  .stored_bytes = manifest.integrity ? manifest.integrity->stored_bytes : 0,
                  .cold_start = manifest.cold_start};
  }

  Result<CaptureDone> Capture(const CaptureTask& task, const WaitLimit& limit) override {
    ASSIGN_OR_RETURN(const snapshot::SourceEnvironment environment, Environment(limit));
    CaptureServices services{.runtime = parts_.runtime,
                             .files = parts_.files,
                             .clock = parts_.clock,
                             .criu = criu_,
                             .storage = storage_,
                             .journal_directory = options_.journal_directory,
                             .places = {options_.host_proc, options_.cgroups},
                             .environment = environment,
                             .cuda = parts_.cuda,
                             .gpus = parts_.gpus};
    const CaptureOrder order{.checkpoint_id = task.checkpoint_id,
                             .artifact_version = task.artifact_version,
                             .node = options_.node,
                             .pod_name = task.pod_name,
                             .pod_namespace = task.pod_namespace,
                             .pod_uid = task.pod_uid,
                             .pod_ips = task.pod_ips,
                             .container_name = task.container_name,
                             .content_uid = task.content_uid,
                             .settings = options_.criu,
                             .exclusions = options_.exclusions,
                             .compress = options_.compress};
    ASSIGN_OR_RETURN(const Captured captured,
                     agent::Capture(services, task.container_id, order, limit));
    return CaptureDone{.root_digest = captured.root_digest,
                       .bytes = captured.bytes,
                       .stored_bytes = captured.stored_bytes,
                       .reused = captured.reused,
                       .phases = PhasesOf(captured.phases),
                       .cold_start = captured.cold_start};
  }

  bool WasCutOff(std::string_view content_uid, std::string_view container_id) override {
    return options_.cut_off.contents.count(content_uid) > 0 ||
           options_.cut_off.containers.count(container_id) > 0;
  }

  Result<RestoreDone> Restore(const RestoreTask& task, const WaitLimit& limit) override {
    RestoreServices services{.runtime = parts_.runtime,
                             .files = parts_.files,
                             .clock = parts_.clock,
                             .nsrestore = options_.nsrestore,
                             .bundle = options_.bundle,
                             .storage = storage_,
                             .journal_directory = options_.journal_directory,
                             .places = {options_.host_proc, options_.cgroups},
                             .cuda = parts_.cuda,
                             .gpus = parts_.gpus,
                             .node = options_.node};
    const RestoreOrder order{.checkpoint_id = task.checkpoint_id,
                             .artifact_version = task.artifact_version,
                             .pod_namespace = task.pod_namespace,
                             .pod_name = task.pod_name,
                             .container_name = task.container_name,
                             .pod_uid = task.pod_uid,
                             .pod_ips = task.pod_ips,
                             .any_namespace = options_.other_namespaces,
                             .any_image = options_.other_images};
    ASSIGN_OR_RETURN(const RestoredContainer restored,
                     agent::Restore(services, task.container_id, order, limit));
    return RestoreDone{.pid = restored.pid,
                       .root_digest = restored.root_digest,
                       .dropped_connections = restored.dropped_connections,
                       .dropped_peers = restored.dropped_peers,
                       .phases = PhasesOf(restored.phases),
                       .cleanup = {},
                       .cold_start = restored.cold_start};
  }

  Status NoteRestored(std::string_view container_id, std::string_view checkpoint_id,
                      std::string_view version) override {
    ASSIGN_OR_RETURN(const auto process, PinnedProcess::Of(parts_.runtime, container_id, Soon()));
    return MarkRestored(Places(), process.container().pid, NoteOf(checkpoint_id, version));
  }

  bool IsNotedRestored(std::string_view container_id, std::string_view checkpoint_id,
                       std::string_view version) override {
    const auto process = PinnedProcess::Of(parts_.runtime, container_id, Soon());
    return process.ok() &&
           RestoredMark(Places(), process->container().pid) == NoteOf(checkpoint_id, version);
  }

  Status Remove(std::string_view checkpoint_id, std::string_view version,
                const WaitLimit& limit) override {
    RETURN_IF_ERROR(limit.Check(parts_.clock, fmt::format("remove checkpoint {}", checkpoint_id)));
    return snapshot::RemoveArtifact(parts_.files, storage_, std::string(checkpoint_id),
                                    std::string(version));
  }

  Result<bool> RemoveWeights(std::string_view checkpoint_id, std::string_view version,
                             std::string_view pod_uid, const WaitLimit& limit) override {
    RETURN_IF_ERROR(
        limit.Check(parts_.clock, fmt::format("remove the weights of {}", checkpoint_id)));
    return snapshot::RemoveLoneWeights(parts_.files, storage_, std::string(checkpoint_id),
                                       std::string(version), std::string(pod_uid));
  }

  Result<std::string> FindContainer(const PodContainer& which, const WaitLimit& limit) override {
    auto found = AwaitContainer(parts_.runtime, which, limit, parts_.clock);
    if (found.ok()) {
      return std::move(found->id);
    }
    return limit.Expired(parts_.clock)
               ? NotFoundError(fmt::format("{} did not start in time: {}", Describe(which),
                                           found.status().message()))
               : found.status();
  }

  Status WriteSentinel(std::string_view container_id, std::string_view name) override {
    ASSIGN_OR_RETURN(ControlDirectory directory, Control(container_id, ""));
    return directory.Write(name, kSentinelContent);
  }
  Status RemoveSentinel(std::string_view container_id, std::string_view name) override {
    ASSIGN_OR_RETURN(ControlDirectory directory, Control(container_id, ""));
    return directory.Remove(name);
  }
  Status WaitForSentinel(std::string_view container_id, std::string_view directory,
                         std::string_view name, const WaitLimit& limit) override {
    ASSIGN_OR_RETURN(const auto process, PinnedProcess::Of(parts_.runtime, container_id, Soon()));
    while (true) {
      const WaitLimit soon = limit.AtMost(parts_.clock, kLookAgain);
      const auto opened = OpenIn(process.container(), directory);
      if (!process.Running()) {
        return UnavailableError(fmt::format("container {} has ended", container_id));
      }
      if (opened.ok()) {
        Status came = AwaitFile(*opened, name, soon);
        if (!came.Is(Code::kDeadlineExceeded)) {
          return came;
        }
      } else if (directory.empty() || !opened.status().Is(Code::kNotFound)) {
        return opened.status();
      } else {
        static_cast<void>(SleepFor(parts_.clock, soon.Remaining(parts_.clock), limit.stop));
      }
      RETURN_IF_ERROR(limit.Check(parts_.clock,
                                  fmt::format("the file {} of container {}", name, container_id)));
    }
  }

  Status Kill(std::string_view container_id) override {
    return KillContainer(parts_.runtime, Places(), container_id, Soon());
  }

 private:
  // Whose it is stands in the manifest, which may be whole.
  static Stored Damaged(const std::string& directory, const Status& why) {
    Stored stored{.present = true, .damage = std::string(why.message())};
    const auto manifest = snapshot::PeekManifest(directory);
    if (manifest.ok()) {
      stored.content_uid = manifest->content_uid;
      stored.pod_namespace = manifest->source.pod_namespace;
    }
    return stored;
  }

  static std::string NoteOf(std::string_view checkpoint_id, std::string_view version) {
    return fmt::format("complete {}/{}", checkpoint_id, version);
  }
  HostPlaces Places() const { return {options_.host_proc, options_.cgroups}; }
  WaitLimit Soon() { return WaitLimit::For(parts_.clock, kQuestion); }

  // Asked once, when first needed: the runtime may start after us.
  Result<snapshot::SourceEnvironment> Environment(const WaitLimit& limit) {
    auto known = environment_.Lock();
    if (!known->has_value()) {
      ASSIGN_OR_RETURN(*known, DescribeNode(parts_.runtime, criu_, limit));
    }
    return **known;
  }

  Result<ControlDirectory> Control(std::string_view container_id, std::string_view directory) {
    ASSIGN_OR_RETURN(const Container container, parts_.runtime.Find(container_id, Soon()));
    return OpenIn(container, directory);
  }
  Result<ControlDirectory> OpenIn(const Container& container, std::string_view directory) const {
    return ControlDirectory::Open(
        proc_.RootOf(container.pid),
        std::string(directory.empty() ? snapshot::kControlDirectory : directory));
  }

  const RealWorkOptions options_;
  const RealWorkParts parts_;
  const snapshot::StorageLayout storage_;
  const criu::Program criu_;
  const ProcReader proc_;
  Guarded<std::optional<snapshot::SourceEnvironment>> environment_;
};

}  // namespace

Result<std::unique_ptr<node::NodeWork>> MakeRealWork(const RealWorkOptions& options,
                                                     const RealWorkParts& parts) {
  ASSIGN_OR_RETURN(snapshot::StorageLayout storage,
                   snapshot::StorageLayout::Create(options.storage_directory));
  ASSIGN_OR_RETURN(criu::Program criu, criu::FindProgram(options.bundle));
  return std::unique_ptr<node::NodeWork>(
      std::make_unique<RealWork>(options, parts, std::move(storage), std::move(criu)));
}

}  // namespace hearth::agent
