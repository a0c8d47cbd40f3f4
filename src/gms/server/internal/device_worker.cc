#include "gms/server/internal/device_worker.h"

#include <pthread.h>

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
  {
    const MutexLock lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { Work(); });
    ::pthread_setname_np(thread_.native_handle(), "gms-device");
  }
  wake_.notify_one();
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
