#include "snapshot/ctl/internal/local_process.h"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>

#include "agent/criu/failure.h"
#include "agent/host/machine.h"
#include "disk/confined_file.h"
#include "disk/progress.h"
#include "snapshot/artifact/verify.h"

namespace hearth::snapshot::ctl {
namespace {

using agent::criu::Worker;

constexpr uint64_t kLargestLog = 64ULL << 20U;
constexpr std::string_view kRuntime = "none: processes of the machine";

agent::criu::Settings SettingsOf() {
  agent::criu::Settings settings;
  settings.manage_cgroups = "ignore";  // they come back where whoever restores them is
  return settings;
}

Result<SourceEnvironment> DescribeMachine(const agent::criu::Program& criu,
                                          const WaitLimit& limit) {
  agent::Machine machine = agent::ThisMachine();
  ASSIGN_OR_RETURN(Worker worker, Worker::Start(criu));
  ASSIGN_OR_RETURN(const agent::criu::Version version, worker.AskVersion(limit));
  SourceEnvironment environment;
  environment.kernel = std::move(machine.kernel);
  environment.architecture = std::move(machine.architecture);
  environment.cpu_model = std::move(machine.cpu_model);
  environment.cpu_features = std::move(machine.cpu_features);
  environment.criu_version = version.text;
  environment.runtime = kRuntime;
  return environment;
}

// With CRIU's cause in front, when it has one.
Status Explained(FileSystem& files, const Status& status, const std::string& log_path) {
  if (!status.Is(Code::kInternal)) {
    return status;
  }
  const std::string log = files.Read(log_path, kLargestLog).value_or("");
  return status.WithContext(agent::criu::Describe(agent::criu::ExplainLog(log)));
}

Status Dump(const ProcessServices& services, int pid, const UniqueFd& images,
            const std::string& directory, const WaitLimit& limit) {
  agent::criu::DumpRequest request;
  request.settings = SettingsOf();
  request.pid = pid;
  request.images_fd = images.get();
  request.root = "/";
  ASSIGN_OR_RETURN(Worker worker, Worker::Start(services.criu));
  const Status dumped = worker.Dump(request, nullptr, limit);
  return dumped.ok() ? dumped
                     : Explained(services.files, dumped, directory + "/" + request.log_file);
}

Manifest ManifestOf(int pid, const std::string& id, const std::string& name_space,
                    SourceEnvironment environment) {
  Manifest manifest;
  manifest.checkpoint_id = id;
  manifest.created_at = RealClock().WallNow();
  manifest.criu_settings = agent::criu::WriteSettings(SettingsOf());
  manifest.source.pid = pid;
  manifest.source.pod_namespace = name_space;
  manifest.environment = std::move(environment);
  return manifest;
}

Status VerifyAll(const Artifact& artifact, std::ostream* progress, const WaitLimit& limit) {
  std::atomic<uint64_t> done = 0;
  const SteadyTime begin = RealClock().Now();
  std::optional<disk::ProgressReporter> reporter;
  if (progress != nullptr) {
    reporter.emplace(
        *progress, disk::ProgressStyle::kBar,
        [&] {
          return disk::Progress{.phase = "verify",
                                .done_bytes = done.load(),
                                .total_bytes = artifact.contents().TotalBytes(),
                                .elapsed = RealClock().Now() - begin};
        },
        RealClock());
  }
  ASSIGN_OR_RETURN(
      const VerifyReport report,
      VerifyFiles(artifact, {.only = {}, .stop_at_first = true, .progress = &done}, limit));
  return Intact(report).WithContext(artifact.directory());
}

// A directory for CRIU's log, gone with it: nothing may be written to an artifact.
class WorkDirectory {
 public:
  static Result<WorkDirectory> Make() {
    std::string path = std::filesystem::temp_directory_path() / "snapshotctl-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
      return Status::FromErrno(errno, path);
    }
    ASSIGN_OR_RETURN(UniqueFd fd, disk::OpenDirectory(path));
    return WorkDirectory(std::move(path), std::move(fd));
  }
  WorkDirectory(WorkDirectory&& other) noexcept
      : path_(std::exchange(other.path_, "")), fd_(std::move(other.fd_)) {}
  WorkDirectory& operator=(WorkDirectory&&) = delete;
  ~WorkDirectory() {
    std::error_code error;
    if (!path_.empty()) {
      std::filesystem::remove_all(path_, error);
    }
  }
  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }

 private:
  WorkDirectory(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;
  UniqueFd fd_;
};

Result<int> RunRestore(const ProcessServices& services, const Artifact& artifact,
                       const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const WorkDirectory work, WorkDirectory::Make());
  agent::criu::RestoreRequest request;
  ASSIGN_OR_RETURN(request.settings, agent::criu::ReadSettings(artifact.manifest().criu_settings));
  request.images_fd = artifact.fd();
  request.work_fd = work.fd();
  ASSIGN_OR_RETURN(Worker worker, Worker::Start(services.criu));
  const Result<int> pid = worker.Restore(request, nullptr, limit);
  return pid.ok() ? pid
                  : Explained(services.files, pid.status(), work.path() + "/" + request.log_file);
}

}  // namespace

Result<agent::Captured> CaptureProcess(const ProcessServices& services, int pid,
                                       const std::string& checkpoint_id,
                                       const std::string& name_space, const WaitLimit& limit) {
  agent::PhaseTimer phases(RealClock(), "inspect");
  ASSIGN_OR_RETURN(const std::string directory, services.storage.Artifact(checkpoint_id, "1"));
  if (services.files.Stat(directory).ok()) {
    return AlreadyExistsError(
        fmt::format("checkpoint {} is there already: capture under another id", checkpoint_id));
  }
  ASSIGN_OR_RETURN(SourceEnvironment environment, DescribeMachine(services.criu, limit));
  phases.Begin("stage");
  ASSIGN_OR_RETURN(const auto staging,
                   Staging::Begin(services.files, services.storage, checkpoint_id, "1"));
  ASSIGN_OR_RETURN(const UniqueFd images, disk::OpenDirectory(staging->path()));
  ASSIGN_OR_RETURN(const auto digester, FolderDigester::Begin(images.get(), "pages-"));
  phases.Begin("criu_dump");
  RETURN_IF_ERROR(Dump(services, pid, images, staging->path(), limit));
  phases.Begin("make_durable");
  ASSIGN_OR_RETURN(const DigestedFolder folder, digester->Finish({}));
  phases.Begin("publish");
  ASSIGN_OR_RETURN(
      const disk::Digest root,
      staging->Publish(ManifestOf(pid, checkpoint_id, name_space, std::move(environment)), folder,
                       IfThere::kRefuse));
  return agent::Captured{.directory = directory,
                         .root_digest = root.Hex(),
                         .bytes = folder.contents.TotalBytes(),
                         .stored_bytes = folder.stored_bytes,
                         .reused = false,
                         .phases = phases.Finish()};
}

Result<agent::RestoredContainer> RestoreProcess(const ProcessServices& services,
                                                const std::string& checkpoint_id,
                                                const std::string& name_space,
                                                std::ostream* progress, const WaitLimit& limit) {
  agent::PhaseTimer phases(RealClock(), "open");
  ASSIGN_OR_RETURN(const std::string directory, services.storage.Artifact(checkpoint_id, "1"));
  ASSIGN_OR_RETURN(const Artifact artifact, Artifact::Open(directory));
  const Manifest& manifest = artifact.manifest();
  RETURN_IF_ERROR(CheckBelongsTo(manifest, checkpoint_id, name_space));
  if (!manifest.environment || manifest.environment->runtime != kRuntime) {
    return UnsupportedError(
        fmt::format("checkpoint {} is of a container: name one that waits for it with --containers",
                    checkpoint_id));
  }
  phases.Begin("verify");
  RETURN_IF_ERROR(VerifyAll(artifact, progress, limit));
  phases.Begin("criu_restore");
  agent::RestoredContainer restored{.root_digest = artifact.RootHex(),
                                    .bytes = artifact.contents().TotalBytes()};
  ASSIGN_OR_RETURN(restored.pid, RunRestore(services, artifact, limit));
  restored.phases = phases.Finish();
  return restored;
}

}  // namespace hearth::snapshot::ctl
