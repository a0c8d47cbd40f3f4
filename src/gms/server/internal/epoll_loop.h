#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/unique_fd.h"

namespace hearth::gms::server {

// The one thread that everything happens on. Descriptors, timers and functions from elsewhere; who
// is called must not block. Only Post and Stop may be called from other threads.
class EpollLoop {
 public:
  using Handler = std::function<void(uint32_t events)>;  // EPOLLIN, ...
  using Task = std::function<void()>;
  struct TimerId {
    SteadyTime at;
    uint64_t number = 0;
    friend auto operator<=>(const TimerId&, const TimerId&) = default;
  };

  EpollLoop();
  EpollLoop(const EpollLoop&) = delete;
  EpollLoop& operator=(const EpollLoop&) = delete;

  // Level-triggered. The number names the watch; 0: the kernel takes no more (errno says why). The
  // descriptor stays the caller's and must outlive the watch.
  uint64_t Watch(int fd, uint32_t events, Handler handler);
  void Change(uint64_t watch, uint32_t events);
  void Unwatch(uint64_t watch);  // 0 is fine

  TimerId At(SteadyTime when, Task task);
  void Cancel(TimerId& timer);  // one that is over or never was is fine; becomes that

  // Runs on the loop after what is running now.
  void Defer(Task task) { deferred_.push_back(std::move(task)); }
  void Post(Task task);
  void Stop();

  // Forgets what was deferred, posted or timed, without running it: before what it uses goes.
  void DropTasks();

  void Run();
  // One turn: what is due, then waits for at most that long. For whoever has no thread to give.
  void Turn(Duration longest);

 private:
  struct Entry {
    int fd;
    uint32_t events;
    std::shared_ptr<Handler> handler;
  };
  void RunDeferred();
  void RunPosted();
  void RunTimers();
  int WaitMilliseconds(Duration longest) const;

  UniqueFd epoll_;
  UniqueFd wake_;
  std::unordered_map<uint64_t, Entry> watches_;
  uint64_t next_ = 1;
  std::map<TimerId, Task> timers_;
  std::vector<Task> deferred_;
  Guarded<std::vector<Task>> posted_;
  bool stopped_ = false;
};

}  // namespace hearth::gms::server
