#include "gms/server/internal/device_worker.h"

#include <pthread.h>

#include <system_error>
#include <utility>

namespace hearth::gms::server {

void DeviceWorker::Stop() {
  stopped_ = true;
  if (!thread_.joinable()) {
    return;
  }
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void DeviceWorker::Run(Job job) {
  if (stopped_) {
    job();
    return;
  }
  if (!HasThread()) {
    if (EpollLoop::Task after = job()) {
      loop_.Defer(std::move(after));
    }
    return;
  }
  {
    const MutexLock lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
}

bool DeviceWorker::HasThread() {
  if (thread_.joinable()) {
    return true;
  }
  try {
    thread_ = std::thread([this] { Work(); });
  } catch (const std::system_error&) {
    return false;
  }
  ::pthread_setname_np(thread_.native_handle(), "gms-device");
  return true;
}

void DeviceWorker::Work() {
  for (;;) {
    Job job;
    {
      MutexLock lock(mutex_);
      while (jobs_.empty() && !stopping_) {
        wake_.wait(lock.native());
      }
      if (jobs_.empty()) {
        return;
      }
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    if (EpollLoop::Task after = job()) {
      loop_.Post(std::move(after));
    }
  }
}

}  // namespace hearth::gms::server
