#include "gms/server/internal/number_link.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "gms/server/internal/who_listens.h"

namespace hearth::gms::server {
namespace {

std::string FileNameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// Empty when it is no link.
std::string LeadsTo(const std::string& path) {
  std::error_code error;
  return std::filesystem::read_symlink(path, error).string();
}

// Who listens there may not be known to us, and may be alive.
Status CheckMayBeReplaced(const std::string& path, const std::string& target) {
  const std::string leads_to = LeadsTo(path);
  const auto other = leads_to == FileNameOf(target) ? std::nullopt : WhoListens(path);
  if (leads_to.empty() || !other || other->certain) {
    return Status::Ok();
  }
  return Status(Code::kPermissionDenied,
                fmt::format("{} leads to {}, and whether its server lives cannot be asked, as when "
                            "that is another user's; it is left alone",
                            path, leads_to));
}

}  // namespace

Status CheckNumberIsFree(const std::string& path, const std::string& target) {
  const std::string leads_to = LeadsTo(path);
  if (leads_to.empty() || leads_to == FileNameOf(target)) {
    return Status::Ok();
  }
  const auto other = WhoListens(path);
  if (!other || !other->certain) {
    return Status::Ok();
  }
  const pid_t pid = other->process ? other->process->pid : 0;
  return ConflictError(fmt::format(
      "the number of this device is taken: {} leads to {}, which {} serves. Start this server with "
      "--number-links=false, so that clients find it by the device's UUID alone; or give it "
      "another folder (--socket-dir) or number (--device); or end the other one",
      path, leads_to, pid > 0 ? fmt::format("process {}", pid) : "a process in another container"));
}

Result<std::unique_ptr<NumberLink>> NumberLink::Make(const std::string& path,
                                                     const std::string& target,
                                                     FolderLocks& locks) {
  locks.Hold(path);
  RETURN_IF_ERROR(CheckNumberIsFree(path, target));
  RETURN_IF_ERROR(CheckMayBeReplaced(path, target));
  std::error_code error;
  if (std::filesystem::is_symlink(path, error)) {
    std::filesystem::remove(path, error);
  }
  const std::string leads_to = FileNameOf(target);
  std::filesystem::create_symlink(leads_to, path, error);
  if (error) {
    return Status::FromErrno(error.value(), fmt::format("cannot make link {}", path));
  }
  return std::unique_ptr<NumberLink>(new NumberLink(path, leads_to));
}

NumberLink::NumberLink(std::string path, std::string leads_to)
    : path_(std::move(path)), leads_to_(std::move(leads_to)) {}

NumberLink::~NumberLink() {
  FolderLocks locks;
  Remove(locks);
}

void NumberLink::Remove(FolderLocks& locks) {
  if (path_.empty()) {
    return;
  }
  locks.Hold(path_);
  if (LeadsTo(path_) == leads_to_) {
    std::error_code error;
    std::filesystem::remove(path_, error);
  }
  path_.clear();
}

}  // namespace hearth::gms::server
