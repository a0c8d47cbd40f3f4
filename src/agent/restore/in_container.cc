#include "agent/restore/in_container.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "agent/criu/failure.h"
#include "agent/criu/worker.h"
#include "agent/files/apply_files.h"
#include "agent/restore/page_supply.h"
#include "base/file_system.h"
#include "disk/confined_file.h"

namespace hearth::agent {
namespace {

constexpr const char* kSysctls = "/proc/sys";
constexpr uint64_t kLargestLog = 64ULL << 20;
// What CRIU asks about when all but the memory is in its place and nothing has run.
constexpr std::string_view kAllRestored = "post-restore";

// CRIU sets the last pid and the like, which containers may not. These are our own mounts: the
// container's stay as they are.
class WritableSysctls {
 public:
  WritableSysctls()
      : done_(::mount(nullptr, kSysctls, nullptr, MS_REMOUNT | MS_BIND, nullptr) == 0) {}
  ~WritableSysctls() {
    if (done_) {
      ::mount(nullptr, kSysctls, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr);
    }
  }
  WritableSysctls(const WritableSysctls&) = delete;
  WritableSysctls& operator=(const WritableSysctls&) = delete;

 private:
  bool done_;
};

// CRIU makes the shared memory again with what was in it, on a mount of its own.
Status RemoveSharedMemory() {
  if (::umount2("/dev/shm", 0) != 0 && errno != EINVAL && errno != ENOENT) {
    return Status::FromErrno(errno, "unmount /dev/shm of the placeholder");
  }
  return Status::Ok();
}

Result<std::vector<UniqueFd>> OpenInherited(const RestorePlan& plan, criu::RestoreRequest& request,
                                            std::vector<int>& numbers) {
  std::vector<UniqueFd> opened;
  for (const RestorePlan::Inherited& each : plan.inherited) {
    UniqueFd fd(::open(each.path.c_str(), (each.writes ? O_WRONLY : O_RDONLY) | O_CLOEXEC));
    if (!fd.valid()) {
      return Status::FromErrno(errno, fmt::format("{} of the placeholder", each.path));
    }
    request.inherited.emplace_back(each.key, fd.get());
    numbers.push_back(fd.get());
    opened.push_back(std::move(fd));
  }
  return opened;
}

Status Explained(const Status& status, const std::string& log) {
  const std::string text = RealFileSystem().Read(log, kLargestLog).value_or("");
  return status.WithContext(criu::Describe(criu::ExplainLog(text)));
}

}  // namespace

Result<Restored> RestoreInContainer(const RestorePlan& plan, const std::string& bundle,
                                    AdaptedImages& images, int held, const WaitLimit& limit) {
  PhaseTimer phases(RealClock(), "files");
  ASSIGN_OR_RETURN(const UniqueFd images_fd, disk::OpenDirectory(images.place()));
  ASSIGN_OR_RETURN(const UniqueFd root, disk::OpenDirectory("/"));
  RETURN_IF_ERROR(ApplyFiles(images_fd.get(), root.get(), plan.left_out, limit).status());
  phases.Begin("criu_prepare");
  std::error_code error;
  std::filesystem::create_directories(plan.work_directory, error);
  ASSIGN_OR_RETURN(criu::Program program, criu::FindProgram(bundle));
  // Nothing of the container is run: it has our rights.
  if (program.argv.front().rfind(bundle + "/lib/", 0) != 0) {
    return InvalidError(
        "the CRIU for restores has no loader and libraries of its own: take the "
        "directory that tools/criu makes");
  }
  program.env = {{"PATH", bundle + "/bin"}, {"LD_LIBRARY_PATH", bundle + "/lib"}};
  ASSIGN_OR_RETURN(const UniqueFd work_fd, disk::OpenDirectory(plan.work_directory));
  RETURN_IF_ERROR(RemoveSharedMemory());
  const WritableSysctls sysctls;
  criu::RestoreRequest request = plan.request;
  request.images_fd = images_fd.get();
  request.work_fd = work_fd.get();
  std::vector<int> numbers;
  ASSIGN_OR_RETURN(const auto inherited, OpenInherited(plan, request, numbers));
  if (held >= 0) {
    numbers.push_back(held);
  }
  ASSIGN_OR_RETURN(const auto pages,
                   PageSupply::Begin(images.place(), plan.work_directory, request, limit));
  RETURN_IF_ERROR(images.ShowAdapted());
  ASSIGN_OR_RETURN(criu::Worker worker, criu::Worker::Start(program, numbers));
  phases.Begin("criu_restore");
  const auto at_notice = [&](const criu::Notice& notice) {
    if (notice.script != kAllRestored) {
      return Status::Ok();
    }
    phases.Begin("pages");
    Status finished = pages->Finish(notice.pid);
    phases.Begin("resume");
    return finished;
  };
  auto pid = worker.Restore(request, at_notice, limit);
  if (!pid.ok() && pid.status().reason() != criu::kCriuFailed) {
    return pid.status();
  }
  if (!pid.ok()) {
    return Explained(pid.status(), plan.work_directory + "/" + request.log_file);
  }
  return Restored{.pid = *pid, .left_to_criu = pages->left_to_criu(), .phases = phases.Finish()};
}

}  // namespace hearth::agent
