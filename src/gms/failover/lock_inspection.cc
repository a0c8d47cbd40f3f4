#include "gms/failover/lock_inspection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

#include "base/file_system.h"
#include "base/strings.h"
#include "base/unique_fd.h"
#include "gms/failover/internal/kernel_locks.h"

namespace hearth::gms {
namespace {

constexpr uint64_t kRecordLimit = 4096;

std::optional<LockOwner> ReadOwner(const std::string& path, const std::string& identity) {
  auto text = RealFileSystem().Read(LockOwnerPath(path), kRecordLimit);
  if (!text.ok()) {
    return std::nullopt;
  }
  auto owner = ParseLockOwner(*text);
  if (!owner.ok() || owner->identity != identity) {
    return std::nullopt;
  }
  return *owner;
}

// Takes the lock for a moment, beside other readers; only asked when the kernel's list shows
// nobody.
bool TakenBySomebody(int fd) {
  if (::flock(fd, LOCK_SH | LOCK_NB) != 0) {
    return errno == EWOULDBLOCK;
  }
  ::flock(fd, LOCK_UN);
  return false;
}

LockState Judge(int fd, const std::optional<LockOwner>& owner) {
  std::optional<pid_t> taker = internal::FlockTaker(fd);
  if (!taker && !TakenBySomebody(fd)) {
    return LockState::kFree;
  }
  // A new owner has the lock before it has written its name.
  bool record_is_of_taker = owner && (!taker || *taker == owner->pid);
  return record_is_of_taker && StateOf(*owner) == ProcessState::kGone ? LockState::kOrphaned
                                                                      : LockState::kHeld;
}

}  // namespace

Result<LockFacts> InspectFailoverLock(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) {
    return LockFacts{};
  }
  if (!fd.valid()) {
    return Status::FromErrno(errno, "failover lock " + path);
  }
  LockFacts facts;
  ASSIGN_OR_RETURN(std::string text, RealFileSystem().Read(path, kRecordLimit));
  facts.identity = std::string(Trim(text));
  facts.owner = ReadOwner(path, facts.identity);
  facts.state = Judge(fd.get(), facts.owner);
  return facts;
}

std::string DescribeHolder(const LockFacts& facts) {
  std::string name = facts.identity.empty() ? "an unnamed engine" : facts.identity;
  if (!facts.owner) {
    return name;
  }
  if (facts.state == LockState::kOrphaned) {
    return fmt::format(
        "{} (pid {}, which is gone: a process that it left behind keeps the lock; end that one)",
        name, facts.owner->pid);
  }
  return fmt::format("{} (pid {})", name, facts.owner->pid);
}

}  // namespace hearth::gms
