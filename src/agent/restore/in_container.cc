#include "agent/restore/in_container.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "agent/criu/failure.h"
#include "agent/criu/worker.h"
#include "agent/files/apply_files.h"
#include "agent/restore/kernel_facts.h"
#include "agent/restore/outside_mounts.h"
#include "agent/restore/page_supply.h"
#include "agent/restore/placeholder_files.h"
#include "agent/restore/private_root.h"
#include "base/file_system.h"
#include "disk/confined_file.h"

namespace hearth::agent {
namespace {

constexpr uint64_t kLargestLog = 64ULL << 20;
// What CRIU asks about when all but the memory is in its place and nothing has run.
constexpr std::string_view kAllRestored = "post-restore";

// CRIU makes the shared memory again with what was in it, on a mount of its own.
Status RemoveSharedMemory() {
  const std::string place = std::string(kContainerPlace) + "/dev/shm";
  if (::umount2(place.c_str(), UMOUNT_NOFOLLOW) != 0 && errno != EINVAL && errno != ENOENT) {
    return Status::FromErrno(errno, "unmount /dev/shm of the placeholder");
  }
  return Status::Ok();
}

Result<UniqueFd> OpenInherited(const RestorePlan::Inherited& inherited, int target) {
  if (inherited.path.empty()) {
    return TakeDescriptor(target, inherited.descriptor);
  }
  UniqueFd fd(::open(inherited.path.c_str(), O_RDONLY | O_CLOEXEC));
  return fd.valid() ? Result<UniqueFd>(std::move(fd))
                    : Status::FromErrno(errno, inherited.path + " of the placeholder");
}

Result<std::vector<UniqueFd>> OpenAllInherited(const RestorePlan& plan, int target,
                                               criu::RestoreRequest& request,
                                               std::vector<int>& numbers) {
  std::vector<UniqueFd> opened;
  for (const RestorePlan::Inherited& each : plan.inherited) {
    ASSIGN_OR_RETURN(UniqueFd fd, OpenInherited(each, target));
    request.inherited.emplace_back(each.key, fd.get());
    numbers.push_back(fd.get());
    opened.push_back(std::move(fd));
  }
  return opened;
}

// Without it all is well.
void CopyLog(int work, const std::string& name, int to) {
  const UniqueFd from(::openat(work, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  while (to >= 0 && from.valid() && ::sendfile(to, from.get(), nullptr, kLargestLog) > 0) {
  }
}

Status Explained(const Status& status, int work, const std::string& log) {
  const std::string text = disk::ReadFileBelow(work, log, kLargestLog).value_or("");
  return status.WithContext(criu::Describe(criu::ExplainLog(text)));
}

}  // namespace

Result<Restored> RestoreInContainer(const RestorePlan& plan, const std::string& bundle,
                                    AdaptedImages& images, const Brought& brought,
                                    const WaitLimit& limit) {
  PhaseTimer phases(RealClock(), "files");
  ASSIGN_OR_RETURN(const UniqueFd images_fd, disk::OpenDirectory(images.place()));
  ASSIGN_OR_RETURN(const UniqueFd root, disk::OpenDirectory(std::string(kContainerPlace)));
  RETURN_IF_ERROR(ApplyFiles(images_fd.get(), root.get(), plan.left_out, limit).status());
  phases.Begin("criu_prepare");
  ASSIGN_OR_RETURN(const UniqueFd work_fd, disk::OpenDirectory(std::string(kWorkPlace)));
  ASSIGN_OR_RETURN(criu::Program program, criu::FindProgram(bundle));
  // Nothing of the container is run, for it would have our rights: all that CRIU starts is in
  // `bundle`, which is in no directory of the container.
  if (program.argv.front().rfind(bundle + "/lib/", 0) != 0 ||
      ::access((bundle + "/helpers/tar").c_str(), X_OK) != 0) {
    return InvalidError(
        "the CRIU for restores has no loader, libraries and helpers of its own: take the "
        "directory that tools/criu makes");
  }
  program.env = {{"PATH", bundle + "/helpers"}, {"LD_LIBRARY_PATH", bundle + "/lib"}};
  RETURN_IF_ERROR(RemoveSharedMemory());
  RETURN_IF_ERROR(GiveKernelFacts(plan.kernel_facts));
  criu::RestoreRequest request = plan.request;
  request.root = kContainerPlace;
  RETURN_IF_ERROR(ShowOutsideMounts(root.get(), request.external_mounts));
  request.images_fd = images_fd.get();
  request.work_fd = work_fd.get();
  std::vector<int> numbers;
  ASSIGN_OR_RETURN(const auto inherited, OpenAllInherited(plan, brought.target, request, numbers));
  ASSIGN_OR_RETURN(const auto pages,
                   PageSupply::Begin(images.place(), std::string(kWorkPlace), request, limit));
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
  CopyLog(work_fd.get(), request.log_file, brought.log);
  if (!pid.ok() && pid.status().reason() != criu::kCriuFailed) {
    return pid.status();
  }
  if (!pid.ok()) {
    return Explained(pid.status(), work_fd.get(), request.log_file);
  }
  return Restored{.pid = *pid, .left_to_criu = pages->left_to_criu(), .phases = phases.Finish()};
}

}  // namespace hearth::agent
