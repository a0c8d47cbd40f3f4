#include "gms/failover/internal/wait_watch.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <system_error>

#include "gms/failover/internal/pidfd.h"
#include "gms/failover/lock_inspection.h"

namespace hearth::gms::internal {
namespace {

constexpr Duration kGrace = std::chrono::milliseconds(100);

timespec ToTimespec(Duration duration) {
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {.tv_sec = static_cast<time_t>(seconds.count()),
          .tv_nsec = static_cast<decltype(timespec::tv_nsec)>((duration - seconds).count())};
}

UniqueFd PidfdOfHolder(const LockFacts& facts) {
  bool known = facts.owner && StateOf(*facts.owner) == ProcessState::kRunning;
  return known ? OpenPidfd(facts.owner->pid) : UniqueFd();
}

}  // namespace

Result<std::unique_ptr<WaitWatch>> WaitWatch::Start(std::shared_ptr<FlockWait> wait,
                                                    const WaitLimit& limit, const std::string& path,
                                                    const Logger& logger) {
  UniqueFd bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!bell.valid()) {
    return Status::FromErrno(errno, "cannot watch the wait for failover lock " + path);
  }
  std::unique_ptr<WaitWatch> watch(
      new WaitWatch(std::move(wait), limit, path, logger, std::move(bell)));
  try {
    watch->thread_ = std::jthread([raw = watch.get()] { raw->Run(); });
  } catch (const std::system_error& error) {
    return Status::FromErrno(error.code().value(),
                             "cannot watch the wait for failover lock " + path + ": no thread");
  }
  ::pthread_setname_np(watch->thread_.native_handle(), "failover-watch");
  return watch;
}

void WaitWatch::Finish() {
  finished_ = true;
  Ring();
}

void WaitWatch::Ring() const {
  const uint64_t one = 1;
  [[maybe_unused]] ssize_t written = ::write(bell_.get(), &one, sizeof(one));
}

UniqueFd WaitWatch::WatchOwner() const {
  auto facts = InspectFailoverLock(path_);
  if (!facts.ok()) {
    return {};
  }
  logger_.Info("waiting for the failover lock",
               {{"path", path_}, {"holder", DescribeHolder(*facts)}});
  UniqueFd owner = PidfdOfHolder(*facts);
  if (!owner.valid()) {
    LookAtOwner();  // it may have died before
  }
  return owner;
}

void WaitWatch::Run() {
  std::stop_callback on_stop(limit_.stop, [this] { Ring(); });
  UniqueFd owner = WatchOwner();
  while (!finished_) {
    if (limit_.Expired(RealClock())) {
      wait_->CallOff();
      return;
    }
    if (Sleep(owner.get(), limit_.Remaining(RealClock())) && !finished_) {
      owner.reset();
      // Mostly the lock has come with the owner's end, and the waiter needs the processor now.
      (void)Sleep(-1, std::min(kGrace, limit_.Remaining(RealClock())));
      if (!finished_) {
        LookAtOwner();
      }
    }
  }
}

// True when the owner has ended.
bool WaitWatch::Sleep(int owner, Duration at_most) const {
  pollfd fds[] = {{.fd = bell_.get(), .events = POLLIN, .revents = 0},
                  {.fd = owner, .events = POLLIN, .revents = 0}};
  timespec timeout = ToTimespec(at_most);
  int ready = ::ppoll(fds, 2, at_most == Duration::max() ? nullptr : &timeout, nullptr);
  return ready > 0 && fds[1].revents != 0;
}

// A process has given up its locks before its end is told: if the lock is still that process's,
// somebody else has its descriptor.
void WaitWatch::LookAtOwner() const {
  auto facts = InspectFailoverLock(path_);
  if (facts.ok() && facts->state == LockState::kOrphaned) {
    logger_.Warning("the holder of the failover lock is dead and the lock is not free",
                    {{"path", path_}, {"holder", DescribeHolder(*facts)}});
  }
}

}  // namespace hearth::gms::internal
