#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "base/mutex.h"
#include "gms/server/internal/epoll_loop.h"

namespace hearth::gms::server {

// A device's own thread, for driver calls that may take long: the loop goes on meanwhile. Jobs run
// in order. Begun with the first job. Where no thread can be had (a limit of processes), a job runs
// on the loop, which stands still meanwhile, and the next one asks for a thread again. Used from
// the loop only.
class DeviceWorker {
 public:
  explicit DeviceWorker(EpollLoop& loop) : loop_(loop) {}
  ~DeviceWorker() { Stop(); }
  DeviceWorker(const DeviceWorker&) = delete;
  DeviceWorker& operator=(const DeviceWorker&) = delete;

  // `job` on the thread; what it returns runs on the loop.
  using Job = std::function<EpollLoop::Task()>;
  void Run(Job job);
  // Finishes what was asked for. Later jobs run at once, and nothing follows them.
  void Stop();

 private:
  bool HasThread();
  void Work();

  EpollLoop& loop_;
  Mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace hearth::gms::server
