#include "gms/failover/failover_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

#include "gms/failover/internal/flock_wait.h"
#include "gms/failover/internal/fork_guard.h"
#include "gms/failover/internal/wait_watch.h"
#include "gms/failover/lock_inspection.h"

namespace hearth::gms {
namespace {

enum class Phase : uint8_t { kIdle, kAcquiring, kHeld };

// An open file that a forked child does not inherit.
class GuardedFile {
 public:
  GuardedFile() = default;
  explicit GuardedFile(int fd) : fd_(fd) {
    if (fd_.valid()) {
      internal::CloseOnFork(fd);
    }
  }
  GuardedFile(GuardedFile&& other) noexcept = default;
  GuardedFile& operator=(GuardedFile&& other) noexcept {
    Close();
    fd_ = std::move(other.fd_);
    return *this;
  }
  ~GuardedFile() { Close(); }

  int get() const { return fd_.get(); }
  bool valid() const { return fd_.valid(); }
  void Close() {
    if (fd_.valid()) {
      internal::ForgetCloseOnFork(fd_.get());
      fd_.reset();
    }
  }
  // In a forked child, where it is closed already and the number may mean another file.
  void Disown() { (void)fd_.release(); }

 private:
  UniqueFd fd_;
};

// Cutting a file costs more than writing it; identities mostly have the same length.
bool Overwrite(int fd, const std::string& text) {
  auto size = static_cast<off_t>(text.size());
  struct stat info {};
  return ::pwrite(fd, text.data(), text.size(), 0) == size && ::fstat(fd, &info) == 0 &&
         (info.st_size == size || ::ftruncate(fd, size) == 0);
}

bool StandsAt(int fd, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

struct FailoverLock::Impl {
  std::string path;
  std::string identity;
  Logger logger;
  mutable std::mutex mutex;
  Phase phase = Phase::kIdle;  // under the mutex, like all below
  GuardedFile file;
  pid_t process = 0;  // which process of ours holds it and has the watch's thread
  std::unique_ptr<internal::WaitWatch> watch;

  ~Impl() { ForgetAfterFork(); }

  // What is written once the lock is there, made ready before.
  struct Attempt {
    GuardedFile file;
    UniqueFd owner_file;
    std::string owner;
  };

  Status Failed(std::string_view what) const {
    return Status::FromErrno(errno, fmt::format("failover lock {}: cannot {}", path, what));
  }
  Status Begin();
  Result<Attempt> Open() const;
  Result<Acquired> Take(const WaitLimit& limit, GuardedFile& taken);
  Status Wait(int fd, const WaitLimit& limit);
  Status NotTaken(const WaitLimit& limit) const;
  Status WriteNames(const Attempt& attempt) const;
  void ForgetAfterFork();
};

// A fork copies the object; the lock and the watch's thread stay with the parent.
void FailoverLock::Impl::ForgetAfterFork() {
  if (process != 0 && process != ::getpid()) {
    file.Disown();
    phase = Phase::kIdle;
    (void)watch.release();
    process = 0;
  }
}

Status FailoverLock::Impl::Begin() {
  std::lock_guard lock(mutex);
  ForgetAfterFork();
  if (phase != Phase::kIdle) {
    return ConflictError(fmt::format("failover lock {}: {} {} it through this object", path,
                                     identity,
                                     phase == Phase::kHeld ? "already has" : "already waits for"));
  }
  phase = Phase::kAcquiring;
  process = ::getpid();
  return Status::Ok();
}

Result<FailoverLock::Impl::Attempt> FailoverLock::Impl::Open() const {
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC;
  constexpr mode_t kMode = 0666;  // engines may run as different users; the umask narrows it
  Attempt attempt;
  attempt.file = GuardedFile(::open(path.c_str(), kFlags, kMode));
  if (!attempt.file.valid()) {
    return Failed("open the file");
  }
  attempt.owner_file = UniqueFd(::open(LockOwnerPath(path).c_str(), kFlags, kMode));
  if (!attempt.owner_file.valid()) {
    return Failed("open the owner's record beside the file");
  }
  attempt.owner = FormatLockOwner(ThisProcess(identity));
  return attempt;
}

Status FailoverLock::Impl::NotTaken(const WaitLimit& limit) const {
  auto facts = InspectFailoverLock(path);
  std::string holder_name = facts.ok() ? DescribeHolder(*facts) : "somebody";
  return limit.Check(RealClock(), fmt::format("failover lock {} is held by {}", path, holder_name));
}

Status FailoverLock::Impl::Wait(int fd, const WaitLimit& limit) {
  if (limit.Expired(RealClock())) {
    return NotTaken(limit);
  }
  ASSIGN_OR_RETURN(std::shared_ptr<internal::FlockWait> wait, internal::FlockWait::Prepare(fd));
  ASSIGN_OR_RETURN(watch, internal::WaitWatch::Start(wait, limit, path, logger));
  Status status = wait->Run();
  return status.Is(Code::kCancelled) ? NotTaken(limit) : status;
}

Status FailoverLock::Impl::WriteNames(const Attempt& attempt) const {
  if (!Overwrite(attempt.file.get(), identity) ||
      !Overwrite(attempt.owner_file.get(), attempt.owner)) {
    return Failed("write the owner's name");
  }
  return Status::Ok();
}

Result<FailoverLock::Acquired> FailoverLock::Impl::Take(const WaitLimit& limit,
                                                        GuardedFile& taken) {
  SteadyTime begin = RealClock().Now();
  Acquired acquired;
  for (;;) {
    ASSIGN_OR_RETURN(Attempt attempt, Open());
    if (::flock(attempt.file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) {
        return Failed("lock the file");
      }
      acquired.was_contended = true;
      RETURN_IF_ERROR(Wait(attempt.file.get(), limit));
    }
    // A file that was replaced meanwhile keeps nobody out.
    if (!StandsAt(attempt.file.get(), path)) {
      continue;
    }
    RETURN_IF_ERROR(WriteNames(attempt));
    taken = std::move(attempt.file);
    acquired.waited = RealClock().Now() - begin;
    return acquired;
  }
}

FailoverLock::FailoverLock(std::string path, std::string identity, Logger logger)
    : impl_(std::make_unique<Impl>()) {
  impl_->path = std::move(path);
  impl_->identity = std::move(identity);
  impl_->logger = std::move(logger);
}

FailoverLock::~FailoverLock() { Release(); }

Result<FailoverLock::Acquired> FailoverLock::Acquire(const WaitLimit& limit) {
  RETURN_IF_ERROR(impl_->Begin());
  GuardedFile taken;
  auto acquired = impl_->Take(limit, taken);
  if (impl_->watch) {
    impl_->watch->Finish();  // only now: it would take time from us
  }
  std::lock_guard lock(impl_->mutex);
  impl_->phase = acquired.ok() ? Phase::kHeld : Phase::kIdle;
  impl_->file = std::move(taken);
  return acquired;
}

void FailoverLock::Release() {
  std::lock_guard lock(impl_->mutex);
  impl_->ForgetAfterFork();
  if (impl_->phase == Phase::kHeld) {
    impl_->file.Close();
    impl_->phase = Phase::kIdle;
  }
}

bool FailoverLock::held() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->phase == Phase::kHeld && impl_->process == ::getpid();
}

const std::string& FailoverLock::path() const { return impl_->path; }
const std::string& FailoverLock::identity() const { return impl_->identity; }

}  // namespace hearth::gms
