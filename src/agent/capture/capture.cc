#include "agent/capture/capture.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "agent/criu/failure.h"
#include "agent/criu/oldest_version.h"
#include "agent/cuda/job_file.h"
#include "agent/cuda/process_ids.h"
#include "agent/files/save_files.h"
#include "agent/host/freezer.h"
#include "agent/host/journal.h"
#include "agent/host/machine.h"
#include "agent/host/network_namespace.h"
#include "agent/host/packet_filter.h"
#include "agent/host/untouched.h"
#include "agent/receive/page_receiver.h"
#include "disk/confined_file.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent {
namespace {

constexpr std::string_view kConfigurationFile = "criu.conf";
constexpr const char* kPagesPrefix = "pages-";
constexpr uint64_t kLargestLog = 64ULL << 20;
constexpr Duration kForNetwork = std::chrono::seconds(10);
constexpr Duration kForStopping = std::chrono::milliseconds(100);

// What CRIU asks about: just before it stops the processes, and when everything is saved and all
// is still stopped.
constexpr std::string_view kNothingStopped = "pre-dump";
constexpr std::string_view kAllSaved = "post-dump";

class OneCapture {
 public:
  OneCapture(const CaptureServices& services, const std::string& container_id,
             const CaptureOrder& order, const WaitLimit& limit)
      : services_(services),
        container_id_(container_id),
        order_(order),
        limit_(limit),
        phases_(services.clock, "inspect") {}

  // After a failure whose cause is over.
  bool may_try_again() const { return may_try_again_; }

  Result<Captured> Run() {
    ASSIGN_OR_RETURN(const auto there, FindExisting());
    if (there) {
      return *there;
    }
    ASSIGN_OR_RETURN(CaptureFacts facts,
                     GatherFacts(services_.runtime, services_.places, container_id_, limit_));
    std::error_code error;
    facts.has_plugins = std::filesystem::is_directory(order_.settings.plugin_directory, error);
    ASSIGN_OR_RETURN(plan_,
                     PlanCapture(facts, order_, services_.environment, services_.clock.WallNow()));
    upper_ = std::move(facts.upper);
    phases_.Begin("stage");
    ASSIGN_OR_RETURN(
        staging_, snapshot::Staging::Begin(services_.files, services_.storage, order_.checkpoint_id,
                                           order_.artifact_version));
    ASSIGN_OR_RETURN(images_, disk::OpenDirectory(staging_->path()));
    ASSIGN_OR_RETURN(
        const auto digester,
        snapshot::FolderDigester::Begin(images_.get(), CriuWritesPages() ? kPagesPrefix : ""));
    ASSIGN_OR_RETURN(journal_, Journal::Begin(services_.files, services_.journal_directory,
                                              {.work = JournalEntry::Work::kCapture,
                                               .container_id = container_id_,
                                               .checkpoint_id = order_.checkpoint_id,
                                               .pid = plan_.request.pid,
                                               .freezer = plan_.request.freeze_cgroup,
                                               .network_namespace = facts.network_namespace,
                                               .artifact_version = order_.artifact_version,
                                               .content_uid = order_.content_uid}));
    touched_ = true;
    RETURN_IF_ERROR(StopCuda(facts));
    ReceivePages();
    if (const Status dumped = Dump(); !dumped.ok()) {
      // Killed by whoever asked; but not with their devices locked.
      static_cast<void>(ReleaseCuda());
      return dumped;
    }
    RETURN_IF_ERROR(ReleaseCuda());
    phases_.Begin("make_durable");
    std::vector<snapshot::DigestedFile> pages;
    if (receiver_) {
      ASSIGN_OR_RETURN(pages, receiver_->Finish());
    }
    ASSIGN_OR_RETURN(const snapshot::DigestedFolder folder, digester->Finish(std::move(pages)));
    return Publish(folder);
  }

  bool touched() const { return touched_; }

 private:
  // An artifact that an earlier try of the same order has left.
  Result<std::optional<Captured>> FindExisting() {
    ASSIGN_OR_RETURN(directory_,
                     services_.storage.Artifact(order_.checkpoint_id, order_.artifact_version));
    const auto artifact = snapshot::Artifact::Open(directory_);
    if (artifact.status().Is(Code::kNotFound) || order_.if_there == snapshot::IfThere::kReplace) {
      return std::optional<Captured>();
    }
    RETURN_IF_ERROR(artifact.status());
    RETURN_IF_ERROR(
        snapshot::CheckBelongsTo(artifact->manifest(), order_.checkpoint_id, order_.pod_namespace));
    if (order_.content_uid.empty() || artifact->manifest().content_uid != order_.content_uid) {
      return AlreadyExistsError(fmt::format(
          "checkpoint {} version {} was captured from pod {} already: capture another version",
          order_.checkpoint_id, order_.artifact_version, artifact->manifest().source.pod_name));
    }
    const auto& integrity = artifact->manifest().integrity;
    return std::optional(Captured{.directory = directory_,
                                  .root_digest = artifact->RootHex(),
                                  .bytes = integrity ? integrity->bytes : 0,
                                  .stored_bytes = integrity ? integrity->stored_bytes : 0,
                                  .reused = true,
                                  .phases = phases_.Finish(),
                                  .cold_start = artifact->manifest().cold_start});
  }

  // What is in the devices' memory comes to the host's, where CRIU finds it.
  Status StopCuda(const CaptureFacts& facts) {
    if (services_.cuda == nullptr) {
      return Status::Ok();
    }
    phases_.Begin("cuda_checkpoint");
    const ProcReader proc(services_.places.proc);
    ASSIGN_OR_RETURN(cuda_pids_, services_.cuda->FindProcesses(proc, facts.tree, limit_));
    if (cuda_pids_.empty()) {
      return Status::Ok();
    }
    snapshot::CudaState& state = plan_.manifest.cuda.emplace();
    ASSIGN_OR_RETURN(state.pids, cuda::InnermostIds(facts.tree, cuda_pids_));
    ASSIGN_OR_RETURN(state.gpu_uuids,
                     services_.gpus->Find({.pod_namespace = order_.pod_namespace,
                                           .pod = order_.pod_name,
                                           .container = order_.container_name,
                                           .node = order_.node,
                                           .pid = facts.container.pid,
                                           .visible_devices = facts.container.visible_devices},
                                          limit_));
    RETURN_IF_ERROR(services_.cuda->Checkpoint(cuda_pids_, limit_));
    // The driver changes the job's file with each step; this is what a restore needs.
    const auto control =
        ControlDirectory::Open(facts.root, std::string(snapshot::kControlDirectory));
    if (control.ok()) {
      return cuda::SaveJobFile(*control, images_.get(), state.gpu_uuids.size()).status();
    }
    return state.gpu_uuids.size() > 1 ? control.status() : Status::Ok();
  }

  Status ReleaseCuda() {
    return cuda_pids_.empty() ? Status::Ok() : services_.cuda->Release(cuda_pids_);
  }

  // When they are to be sent later, and to somebody else.
  bool CriuWritesPages() const { return plan_.request.settings.lazy_pages; }

  // Where there is no connection for them CRIU writes them itself, and they are read afterwards.
  void ReceivePages() {
    if (!CriuWritesPages()) {
      receiver_ = receive::PageReceiver::Begin(
                      images_.get(),
                      plan_.compress ? receive::MakePackedStore() : receive::MakeDirectStore({}),
                      Expected())
                      .value_or(nullptr);
    }
  }

  // Asked late: what was in devices is in memory by now.
  receive::ExpectedBytes Expected() const {
    receive::ExpectedBytes expected;
    const ProcReader proc(services_.places.proc);
    for (const ProcessFacts& process :
         proc.Tree(plan_.request.pid).value_or(std::vector<ProcessFacts>())) {
      if (!process.ns_pids.empty()) {
        expected.processes[static_cast<uint64_t>(process.ns_pids.back())] = process.own_bytes;
      }
      // Of all, not of each: most have the same.
      expected.shared = std::max(expected.shared, process.shared_bytes);
    }
    return expected;
  }

  Status Dump() {
    phases_.Begin("criu_dump");
    criu::DumpRequest request = plan_.request;
    request.images_fd = images_.get();
    std::vector<int> inherited;
    if (receiver_) {
      request.pages_fd = receiver_->criu_end();
      inherited.push_back(request.pages_fd);
    }
    if (!plan_.criu_configuration.empty()) {
      request.configuration_file = fmt::format("{}/{}", staging_->path(), kConfigurationFile);
      RETURN_IF_ERROR(
          services_.files.Write(request.configuration_file, plan_.criu_configuration, 0600));
    }
    // Held: who is captured may be gone when it is over.
    const UniqueFd network(
        ::open(fmt::format("{}/{}/ns/net", services_.places.proc, request.pid).c_str(),
               O_RDONLY | O_CLOEXEC));
    const Status dumped = RunCriu(request, inherited);
    if (dumped.ok()) {
      return frozen_ ? Thaw(plan_.request.freeze_cgroup) : Status::Ok();
    }
    // A CRIU that was killed may have left them stopped, and their network closed; what it has
    // started may be about to close it.
    static_cast<void>(EndMarked(journal_->mark(), WaitLimit::For(RealClock(), kForNetwork)));
    static_cast<void>(Thaw(plan_.request.freeze_cgroup));
    ReleaseNetwork(network);
    const Status cause = receiver_ ? receiver_->Cause() : Status::Ok();
    return cause.ok() ? Explained(dumped) : cause.WithContext("store the captured pages");
  }

  // CRIU is gone when it returns.
  Status RunCriu(const criu::DumpRequest& request, const std::vector<int>& inherited) {
    criu::Program program = services_.criu;
    program.env.push_back(journal_->mark());
    ASSIGN_OR_RETURN(criu::Worker worker, criu::Worker::Start(program, inherited));
    if (receiver_) {
      receiver_->HandedOver();
    }
    return worker.Dump(
        request, [this](const criu::Notice& notice) { return AtNotice(notice); }, limit_);
  }

  void ReleaseNetwork(const UniqueFd& network) {
    if (network.valid()) {
      static_cast<void>(ReleasePackets(RealProcessRunner(), PathForPrograms(network),
                                       WaitLimit::For(services_.clock, kForNetwork)));
    }
  }

  Status AtNotice(const criu::Notice& notice) {
    if (notice.script == kNothingStopped) {
      Stop();
      return Status::Ok();
    }
    if (notice.script != kAllSaved) {
      return Status::Ok();
    }
    // Memory and files are of one moment: nothing runs before both are saved.
    phases_.Begin("files");
    const auto saved = SaveFiles(
        upper_.get(), images_.get(),
        {plan_.manifest.files.exclusions, plan_.manifest.files.bind_destinations}, limit_);
    phases_.Begin("release");
    return saved.status();
  }

  // CRIU would look whether all stand at once, when they rarely do, and then not for 100 ms. It
  // leaves what it finds stopped that way. Where this does not work it stops them itself.
  void Stop() {
    const auto stopped = Freeze(plan_.request.freeze_cgroup,
                                limit_.AtMost(services_.clock, kForStopping), services_.clock);
    frozen_ = !stopped.ok() || *stopped;
  }

  Status Explained(const Status& status) {
    if (!status.Is(Code::kInternal)) {
      return status;
    }
    auto log = services_.files.Read(staging_->path() + "/" + plan_.request.log_file, kLargestLog);
    const criu::Failure failure = criu::ExplainLog(std::move(log).value_or(""));
    // CRIU itself has let the processes go on; devices are another matter.
    may_try_again_ = cuda_pids_.empty() && criu::IsMomentary(failure);
    return status.WithContext(criu::Describe(failure));
  }

  Result<Captured> Publish(const snapshot::DigestedFolder& folder) {
    phases_.Begin("publish");
    RETURN_IF_ERROR(limit_.Check(services_.clock, "capture " + order_.checkpoint_id));
    ASSIGN_OR_RETURN(const disk::Digest root,
                     staging_->Publish(plan_.manifest, folder, order_.if_there));
    return Captured{.directory = directory_,
                    .root_digest = root.Hex(),
                    .bytes = folder.contents.TotalBytes(),
                    .stored_bytes = folder.stored_bytes,
                    .phases = phases_.Finish(),
                    .cold_start = plan_.manifest.cold_start};
  }

  const CaptureServices& services_;
  const std::string& container_id_;
  const CaptureOrder& order_;
  const WaitLimit& limit_;
  PhaseTimer phases_;
  bool touched_ = false;
  std::string directory_;
  CapturePlan plan_;
  UniqueFd upper_;  // the layer of the container's changes
  std::vector<int> cuda_pids_;
  std::unique_ptr<snapshot::Staging> staging_;
  UniqueFd images_;
  bool frozen_ = false;  // by us
  bool may_try_again_ = false;
  std::unique_ptr<receive::PageReceiver> receiver_;  // null: CRIU writes pages itself
  std::unique_ptr<Journal> journal_;                 // goes first
};

}  // namespace

Result<snapshot::SourceEnvironment> DescribeNode(ContainerRuntime& runtime,
                                                 const criu::Program& criu,
                                                 const WaitLimit& limit) {
  const Machine machine = ThisMachine();
  snapshot::SourceEnvironment environment;
  environment.kernel = machine.kernel;
  environment.architecture = machine.architecture;
  environment.cpu_model = machine.cpu_model;
  environment.cpu_features = machine.cpu_features;
  ASSIGN_OR_RETURN(environment.runtime, runtime.Version(limit));
  ASSIGN_OR_RETURN(criu::Worker worker, criu::Worker::Start(criu));
  ASSIGN_OR_RETURN(const criu::Version version, worker.AskVersion(limit));
  RETURN_IF_ERROR(criu::CheckAge(version));
  environment.criu_version = version.text;
  return environment;
}

Result<Captured> Capture(const CaptureServices& services, const std::string& container_id,
                         const CaptureOrder& order, const WaitLimit& limit) {
  constexpr int kTries = 3;
  for (int tried = 1;; ++tried) {
    OneCapture capture(services, container_id, order, limit);
    auto captured = capture.Run();
    if (captured.status().Is(Code::kCancelled) && !capture.touched()) {
      return captured.status().WithReason(kUntouched);
    }
    if (captured.ok() || !capture.may_try_again() || tried == kTries) {
      return captured;
    }
  }
}

}  // namespace hearth::agent
