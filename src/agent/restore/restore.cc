#include "agent/restore/restore.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include "agent/container/of_pod.h"
#include "agent/container/pinned_process.h"
#include "agent/cuda/device_map.h"
#include "agent/cuda/job_file.h"
#include "agent/cuda/process_ids.h"
#include "agent/host/control_directory.h"
#include "agent/host/journal.h"
#include "agent/host/machine.h"
#include "agent/host/process_facts.h"
#include "agent/host/restored_processes.h"
#include "agent/host/root_view.h"
#include "agent/host/user_namespace.h"
#include "agent/restore/kernel_facts.h"
#include "agent/restore/placeholder_rights.h"
#include "agent/restore/restored.h"
#include "base/process_runner.h"
#include "base/strings.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/artifact/verify.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent {
namespace {

constexpr uint64_t kMostOutput = 1 << 20;
constexpr uint64_t kLargestLog = 64 << 20;
constexpr Duration kForPrograms = std::chrono::seconds(10);

Result<std::string> ReadAll(int fd, uint64_t most) {
  struct stat info {};
  const bool known = ::fstat(fd, &info) == 0;
  std::string bytes(std::min(most, known ? static_cast<uint64_t>(info.st_size) : 0), '\0');
  const ssize_t count = ::pread(fd, bytes.data(), bytes.size(), 0);
  if (count < 0) {
    return Status::FromErrno(errno, "what nsrestore said");
  }
  bytes.resize(static_cast<size_t>(count));
  return bytes;
}

class OneRestore {
 public:
  OneRestore(const RestoreServices& services, const std::string& container_id,
             const RestoreOrder& order, const WaitLimit& limit)
      : services_(services),
        container_id_(container_id),
        order_(order),
        limit_(limit),
        proc_(services.places.proc),
        phases_(services.clock, "open") {}

  // After a failure: what CRIU has started may be left, and may restore on; and what was restored
  // until then would run when somebody lets it. Ends soon, whatever the order's limit.
  void EndThisTry() {
    if (!journal_) {
      return;
    }
    const auto soon = [] { return WaitLimit::For(RealClock(), kForPrograms); };
    if (!EndMarked(journal_->mark(), soon()).ok()) {
      journal_->Leave();
    }
    static_cast<void>(EndRestored(services_.places, container_.pid, soon()));
  }

  Result<RestoredContainer> Run() {
    ASSIGN_OR_RETURN(const std::string directory,
                     services_.storage.Artifact(order_.checkpoint_id, order_.artifact_version));
    ASSIGN_OR_RETURN(const snapshot::Artifact artifact, snapshot::Artifact::Open(directory));
    RETURN_IF_ERROR(snapshot::CheckBelongsTo(
        artifact.manifest(), order_.checkpoint_id,
        order_.any_namespace ? artifact.manifest().source.pod_namespace : order_.pod_namespace));
    RETURN_IF_ERROR(CheckMachine(artifact.manifest()));
    RETURN_IF_ERROR(VerifySmall(artifact));
    phases_.Begin("find");
    ASSIGN_OR_RETURN(auto pinned, PinnedProcess::Of(services_.runtime, container_id_, limit_));
    process_.emplace(std::move(pinned));
    container_ = process_->container();
    RETURN_IF_ERROR(CheckOfPod(container_, order_.pod_uid));
    RETURN_IF_ERROR(CheckImage(artifact.manifest()));
    RETURN_IF_ERROR(CheckPlaceholder(artifact));
    RETURN_IF_ERROR(EndEarlierTry());
    ASSIGN_OR_RETURN(const cuda::DeviceMap devices, MapDevices(artifact));
    ASSIGN_OR_RETURN(journal_, Journal::Begin(services_.files, services_.journal_directory,
                                              {.work = JournalEntry::Work::kRestore,
                                               .container_id = container_id_,
                                               .checkpoint_id = order_.checkpoint_id,
                                               .pid = container_.pid}));
    phases_.Begin("restore");
    ASSIGN_OR_RETURN(Restored told, RunInContainer(artifact));
    RETURN_IF_ERROR(RestoreCuda(artifact, devices, told.pid));
    phases_.Begin("check");
    RestoredContainer restored{.root_digest = artifact.RootHex(),
                               .bytes = artifact.contents().TotalBytes()};
    ASSIGN_OR_RETURN(restored.pid, FindAlive(told.pid));
    // Without it all is well, but for another capture.
    static_cast<void>(MarkRestored(services_.places, container_.pid));
    restored.left_to_criu = told.left_to_criu;
    restored.dropped_connections = told.dropped_connections;
    restored.dropped_peers = std::move(told.dropped_peers);
    restored.phases = PhasesWith(std::move(told.phases));
    restored.cold_start = artifact.manifest().cold_start;
    return restored;
  }

 private:
  // A program that is restored where its instructions are missing runs, and dies later.
  static Status CheckMachine(const snapshot::Manifest& manifest) {
    const snapshot::SourceEnvironment made =
        manifest.environment.value_or(snapshot::SourceEnvironment());
    const Machine here = ThisMachine();
    if (!made.architecture.empty() && made.architecture != here.architecture) {
      return Status(Code::kUnsupported, fmt::format("it was captured on {} and this node has {}",
                                                    made.architecture, here.architecture));
    }
    const auto missing = MissingFeatures(made.cpu_features, made.architecture, here.cpu_features);
    return missing.empty()
               ? Status::Ok()
               : Status(Code::kUnsupported,
                        fmt::format("it was captured on {} and may use what this node's processor "
                                    "has not ({}): restore it on such a node, or capture it on the "
                                    "oldest processors that it is to run on",
                                    made.cpu_model, Join(missing, ", ")));
  }

  // Files that were not changed are the image's: those of another one fit no memory.
  Status CheckImage(const snapshot::Manifest& manifest) const {
    const std::string made = manifest.environment ? manifest.environment->image_digest : "";
    if (order_.any_image || made.empty() || container_.image_digest.empty() ||
        made == container_.image_digest) {
      return Status::Ok();
    }
    return Status(Code::kUnsupported, "OtherImage",
                  fmt::format("it was captured from image {} ({}), and container {} has {} ({}): "
                              "restore it into the same one",
                              manifest.environment->image, made, container_id_, container_.image,
                              container_.image_digest));
  }

  // Of images that were verified, where they can be.
  Status CheckPlaceholder(const snapshot::Artifact& artifact) const {
    ASSIGN_OR_RETURN(const ProcessFacts waits, proc_.Process(container_.pid));
    if (HasUsersOfItsOwn(proc_, container_.pid)) {
      return Status(
          Code::kUnsupported, "UserNamespace",
          fmt::format("container {} has a user namespace of its own, to whose ids nothing "
                      "here maps those of a checkpoint: run it in a pod without "
                      "hostUsers: false",
                      container_id_));
    }
    RETURN_IF_ERROR(CheckCannotTrace(container_, waits));
    RETURN_IF_ERROR(CheckMasks(artifact.manifest().files.external_paths, container_.managed,
                               ViewOfRoot(proc_.RootOf(container_.pid))));
    UniqueFd directory(::fcntl(artifact.fd(), F_DUPFD_CLOEXEC, 0));
    if (!directory.valid()) {
      return Status::FromErrno(errno, artifact.directory());
    }
    ASSIGN_OR_RETURN(const auto saved,
                     RightsIn(snapshot::images::ImageFolder::At(std::move(directory))));
    return CheckNoMoreRights(saved, waits);
  }

  Status VerifySmall(const snapshot::Artifact& artifact) {
    if (!artifact.sealed()) {
      return Status::Ok();
    }
    ASSIGN_OR_RETURN(
        const snapshot::VerifyReport report,
        snapshot::VerifyFiles(artifact,
                              {.only = [](const auto& file) { return !snapshot::IsPageFile(file); },
                               .stop_at_first = true},
                              limit_));
    return snapshot::Intact(report).WithContext(artifact.directory());
  }

  // Programs of a restore whose owner was killed are ended now, not waited for: CRIU dies with who
  // started it, but neither at once nor with all that it has started. What they restored goes, too.
  Status EndEarlierTry() {
    // Nobody tells when a lock is let go.
    constexpr Duration kLookAgain = std::chrono::milliseconds(5);
    bool tried = IsMarkedRestored(services_.places, container_.pid);
    // Whatever was said of it: what is there now goes.
    if (tried) {
      RETURN_IF_ERROR(MarkRestored(services_.places, container_.pid));
    }
    while (true) {
      ASSIGN_OR_RETURN(const bool busy,
                       IsUnderWay(services_.files, services_.journal_directory, container_id_));
      ASSIGN_OR_RETURN(const bool left,
                       EndLeftPrograms(services_.files, services_.journal_directory, container_id_,
                                       limit_.AtMost(RealClock(), kForPrograms)));
      tried = tried || busy || left;
      if (!busy) {
        return EndWhatIsRestored(tried);
      }
      RETURN_IF_ERROR(limit_.Check(services_.clock, "an earlier restore in " + container_id_));
      static_cast<void>(SleepFor(RealClock(), kLookAgain, limit_.stop));
    }
  }

  // Going through all processes of the node takes milliseconds that the first restore in a
  // container need not wait.
  Status EndWhatIsRestored(bool tried) const {
    ASSIGN_OR_RETURN(const auto processes, ContainerProcesses(services_.places, container_.pid));
    return tried || !NestedRoots(processes).empty()
               ? EndRestored(services_.places, container_.pid,
                             limit_.AtMost(RealClock(), kForPrograms))
               : Status::Ok();
  }

  Result<Restored> RunInContainer(const snapshot::Artifact& artifact) {
    const UniqueFd output(::memfd_create("nsrestore", MFD_CLOEXEC));
    const UniqueFd log(::memfd_create("restore.log", MFD_CLOEXEC));
    if (!output.valid() || !log.valid()) {
      return Status::FromErrno(errno, "memory for what nsrestore says");
    }
    std::vector<std::string> argv = {services_.nsrestore,
                                     "--target-pid",
                                     std::to_string(container_.pid),
                                     "--target-fd",
                                     std::to_string(process_->pidfd()),
                                     "--checkpoint-path",
                                     fmt::format("/proc/self/fd/{}", artifact.fd()),
                                     "--bundle-dir",
                                     services_.bundle,
                                     "--log-fd",
                                     std::to_string(log.get()),
                                     "--kernel-facts",
                                     KernelFactsPath(NodeDirectory() + "/criu", services_.bundle)};
    for (const std::string& address : order_.pod_ips) {
      argv.insert(argv.end(), {"--target-pod-ip", address});
    }
    ASSIGN_OR_RETURN(
        ChildProcess process,
        ChildProcess::Start({.argv = std::move(argv),
                             .env = {journal_->mark()},
                             .log_path = fmt::format("/proc/{}/fd/{}", ::getpid(), output.get()),
                             .inherited_fds = {process_->pidfd(), artifact.fd(), log.get()}}));
    ASSIGN_OR_RETURN(const auto outcome, process.Wait(limit_));
    KeepLog(log.get());
    ASSIGN_OR_RETURN(const std::string text, ReadAll(output.get(), kMostOutput));
    if (outcome.ok()) {
      return ReadRestored(text);
    }
    return Status(outcome.exit_code == kExitDamaged ? Code::kDataLoss : Code::kInternal,
                  fmt::format("restore of {} in container {}: {}", order_.checkpoint_id,
                              container_id_, Trim(text)));
  }

  // CRIU's, of the last restore on this node; for people.
  void KeepLog(int fd) const {
    const std::string path = NodeDirectory() + "/criu/restore.log";
    const std::string staged = fmt::format("{}.{}.{}", path, ::getpid(), fd);
    const auto text = ReadAll(fd, kLargestLog);
    static_cast<void>(services_.files.MakeDirectories(NodeDirectory() + "/criu", 0700));
    if (!text.ok() || !services_.files.Write(staged, *text, 0600).ok() ||
        !services_.files.Rename(staged, path).ok()) {
      static_cast<void>(services_.files.Remove(staged));
    }
  }

  // Beside the journal: root's, and of this node.
  std::string NodeDirectory() const {
    return std::filesystem::path(services_.journal_directory).parent_path();
  }

  // Told before anything is touched: devices that cannot take the others' place.
  Result<cuda::DeviceMap> MapDevices(const snapshot::Artifact& artifact) {
    const auto& state = artifact.manifest().cuda;
    if (!state) {
      return cuda::DeviceMap();
    }
    if (services_.cuda == nullptr) {
      return Status(Code::kUnsupported,
                    "the checkpoint has processes that use CUDA, and this node has no "
                    "cuda-checkpoint: restore it on a node with GPUs");
    }
    phases_.Begin("gpu_device_map");
    ASSIGN_OR_RETURN(const std::vector<std::string> target,
                     services_.gpus->Find({.pod_namespace = order_.pod_namespace,
                                           .pod = order_.pod_name,
                                           .container = order_.container_name,
                                           .node = services_.node,
                                           .pid = container_.pid,
                                           .visible_devices = container_.visible_devices},
                                          limit_));
    ASSIGN_OR_RETURN(const auto job,
                     cuda::ReadSavedJobFile(artifact.fd(), state->gpu_uuids.size()));
    if (job) {
      ASSIGN_OR_RETURN(ControlDirectory control, OpenControl());
      RETURN_IF_ERROR(cuda::PlaceJobFile(control, *job));
    }
    return cuda::PlanDeviceMap(state->gpu_uuids, target);
  }

  Result<ControlDirectory> OpenControl() {
    return ControlDirectory::Open(proc_.RootOf(container_.pid),
                                  std::string(snapshot::kControlDirectory));
  }

  // They run, but wait in the driver until they are told to go on.
  Status RestoreCuda(const snapshot::Artifact& artifact, const cuda::DeviceMap& devices,
                     int first_within) {
    const auto& state = artifact.manifest().cuda;
    if (!state) {
      return Status::Ok();
    }
    phases_.Begin("cuda_restore");
    ASSIGN_OR_RETURN(const int first, FindAlive(first_within));
    ASSIGN_OR_RETURN(const std::vector<ProcessFacts> tree, proc_.Tree(first));
    const auto pids = cuda::FindRestored(tree, state->pids);
    if (!pids.ok()) {
      return DataLossError(std::string(pids.status().message()));
    }
    RETURN_IF_ERROR(GiveJobFile(*pids));
    return services_.cuda->Restore(*pids, devices, limit_);
  }

  // Placed by root before there was anybody; its owner alone may read it.
  Status GiveJobFile(const std::vector<int>& pids) {
    if (pids.empty()) {
      return Status::Ok();
    }
    ASSIGN_OR_RETURN(const ProcessFacts owner, proc_.Process(pids.front()));
    ASSIGN_OR_RETURN(const ControlDirectory control, OpenControl());
    const Status given = cuda::GiveJobFile(control, owner.file_user, owner.file_group);
    return given.Is(Code::kNotFound) ? Status::Ok() : given;
  }

  // The restored process as the node sees it.
  Result<int> FindAlive(int pid_within) {
    ASSIGN_OR_RETURN(const std::vector<ProcessFacts> tree,
                     ContainerProcesses(services_.places, container_.pid));
    const size_t depth = tree.front().ns_pids.size();
    for (const ProcessFacts& process : tree) {
      if (process.ns_pids.size() >= depth && process.ns_pids[depth - 1] == pid_within &&
          !process.IsZombie()) {
        RETURN_IF_ERROR(CheckGroups(process.pid));
        return process.pid;
      }
    }
    return UnavailableError(fmt::format(
        "what was restored in container {} (process {} there) has ended at once: its output is in "
        "the container's log",
        container_id_, pid_within));
  }

  // Outside of them no limit of its pod would hold.
  Status CheckGroups(int pid) const {
    ASSIGN_OR_RETURN(const std::string wanted, proc_.CgroupText(container_.pid));
    ASSIGN_OR_RETURN(const std::string has, proc_.CgroupText(pid));
    return has == wanted ? Status::Ok()
                         : InternalError(fmt::format(
                               "what was restored in container {} is not in its cgroups: {}",
                               container_id_, Excerpt(has, 300)));
  }

  // Its phases in place of the one that it was for us; what is left of that is the way there.
  std::vector<Phase> PhasesWith(std::vector<Phase> within) {
    std::vector<Phase> phases;
    for (Phase& phase : phases_.Finish()) {
      if (phase.name != "restore") {
        phases.push_back(std::move(phase));
        continue;
      }
      const size_t enter = phases.size();
      phases.push_back({"enter", phase.took});
      for (Phase& one : within) {
        phases[enter].took -= one.took;
        phases.push_back(std::move(one));
      }
    }
    return phases;
  }

  const RestoreServices& services_;
  const std::string& container_id_;
  const RestoreOrder& order_;
  const WaitLimit& limit_;
  const ProcReader proc_;
  PhaseTimer phases_;
  std::optional<PinnedProcess> process_;
  Container container_;
  std::unique_ptr<Journal> journal_;
};

}  // namespace

Result<RestoredContainer> Restore(const RestoreServices& services, const std::string& container_id,
                                  const RestoreOrder& order, const WaitLimit& limit) {
  OneRestore restore(services, container_id, order, limit);
  auto restored = restore.Run();
  if (!restored.ok()) {
    restore.EndThisTry();
  }
  return restored;
}

}  // namespace hearth::agent
