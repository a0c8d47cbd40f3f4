#include "gms/server/internal/epoll_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

#include "base/check.h"

namespace hearth::gms::server {
namespace {

constexpr Duration kForever = std::chrono::hours(1);

}  // namespace

EpollLoop::EpollLoop()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  CHECK(epoll_.valid() && wake_.valid());
  const uint64_t watch = Watch(wake_.get(), EPOLLIN, [this](uint32_t) {
    uint64_t count = 0;
    (void)!::read(wake_.get(), &count, sizeof(count));
  });
  CHECK(watch != 0) << "errno " << errno;
}

uint64_t EpollLoop::Watch(int fd, uint32_t events, Handler handler) {
  const uint64_t number = next_++;
  epoll_event event{};
  event.events = events;
  event.data.u64 = number;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return 0;
  }
  watches_.emplace(number, Entry{fd, events, std::make_shared<Handler>(std::move(handler))});
  return number;
}

void EpollLoop::Change(uint64_t watch, uint32_t events) {
  const auto it = watches_.find(watch);
  if (it == watches_.end() || it->second.events == events) {
    return;
  }
  epoll_event event{};
  event.events = events;
  event.data.u64 = watch;
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, it->second.fd, &event) == 0) << "errno " << errno;
  it->second.events = events;
}

void EpollLoop::Unwatch(uint64_t watch) {
  const auto it = watches_.find(watch);
  if (it == watches_.end()) {
    return;
  }
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, it->second.fd, nullptr);
  watches_.erase(it);
}

EpollLoop::TimerId EpollLoop::At(SteadyTime when, Task task) {
  const TimerId id{when, next_++};
  timers_.emplace(id, std::move(task));
  return id;
}

void EpollLoop::Cancel(TimerId& timer) {
  timers_.erase(timer);
  timer = {};
}

void EpollLoop::Post(Task task) {
  posted_.Lock()->push_back(std::move(task));
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof(one));
}

void EpollLoop::Stop() {
  Post([this] { stopped_ = true; });
}

void EpollLoop::DropTasks() {
  for (bool dropped = true; dropped;) {
    // Dropping a task may leave another.
    const auto timers = std::exchange(timers_, {});
    const auto deferred = std::exchange(deferred_, {});
    const auto posted = std::exchange(*posted_.Lock(), {});
    dropped = !timers.empty() || !deferred.empty() || !posted.empty();
  }
}

void EpollLoop::Run() {
  stopped_ = false;
  while (!stopped_) {
    Turn(kForever);
  }
}

void EpollLoop::Turn(Duration longest) {
  std::array<epoll_event, 64> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                 WaitMilliseconds(longest));
  for (int i = 0; i < count; ++i) {
    // A copy: the kernel packs its events, so that the number there has no proper address.
    const uint64_t watch = events[static_cast<size_t>(i)].data.u64;
    // A handler before may have ended this watch.
    const auto it = watches_.find(watch);
    if (it != watches_.end()) {
      const std::shared_ptr<Handler> handler = it->second.handler;
      (*handler)(events[static_cast<size_t>(i)].events);
    }
  }
  RunPosted();
  RunTimers();
  RunDeferred();
}

void EpollLoop::RunPosted() {
  std::vector<Task> tasks;
  posted_.Lock()->swap(tasks);
  for (Task& task : tasks) {
    task();
  }
}

void EpollLoop::RunTimers() {
  const SteadyTime now = RealClock().Now();
  while (!timers_.empty() && timers_.begin()->first.at <= now) {
    Task task = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    task();
  }
}

// What is deferred meanwhile waits for the next turn, so that sockets get theirs.
void EpollLoop::RunDeferred() {
  std::vector<Task> tasks;
  tasks.swap(deferred_);
  for (Task& task : tasks) {
    task();
  }
}

int EpollLoop::WaitMilliseconds(Duration longest) const {
  if (!deferred_.empty()) {
    return 0;
  }
  if (!timers_.empty()) {
    const SteadyTime first = timers_.begin()->first.at;
    longest = std::clamp(first - RealClock().Now(), Duration::zero(), longest);
  }
  // Rounded up: a timer that is not due yet would be asked for again at once.
  return static_cast<int>(
      std::chrono::ceil<std::chrono::milliseconds>(std::min(longest, kForever)).count());
}

}  // namespace hearth::gms::server
