#include "agent/node/jobs.h"

#include <pthread.h>

#include <utility>

#include "base/stop_waker.h"

namespace hearth::agent::node {

Jobs::~Jobs() { Close({.deadline = SteadyTime::min()}); }

bool Jobs::Start(std::string key, Work work, std::function<void()> then) {
  Reap();
  MutexLock lock(mutex_);
  if (closed_ || jobs_.count(key) > 0) {
    return false;
  }
  Job& job = jobs_[key];
  // It cannot look itself up before this lock is given up.
  job.thread = std::jthread([this, key = std::move(key), work = std::move(work),
                             then = std::move(then), stop = job.stop.get_token()] {
    ::pthread_setname_np(::pthread_self(), "node-job");
    Run(key, work, then, stop);
  });
  return true;
}

void Jobs::Run(const std::string& key, const Work& work, const std::function<void()>& then,
               const std::stop_token& stop) {
  work(stop);
  std::jthread self;
  {
    MutexLock lock(mutex_);
    const auto job = jobs_.find(key);
    self = std::move(job->second.thread);
    jobs_.erase(job);
    ++ending_;
  }
  if (then) {
    then();
  }
  MutexLock lock(mutex_);
  --ending_;
  finished_.push_back(std::move(self));
  ended_.notify_all();
}

void Jobs::Reap() {
  std::vector<std::jthread> finished;  // joined when it goes, after the lock
  MutexLock lock(mutex_);
  finished.swap(finished_);
}

bool Jobs::Running(std::string_view key) const {
  MutexLock lock(mutex_);
  return jobs_.find(key) != jobs_.end();
}

void Jobs::Cancel(std::string_view key, Status why) {
  // Whoever hears of the stop does so on this thread: not under our lock.
  std::stop_source stop{std::nostopstate};
  {
    MutexLock lock(mutex_);
    const auto found = jobs_.find(key);
    if (found == jobs_.end() || found->second.stop.stop_requested()) {
      return;
    }
    found->second.why_cancelled = std::move(why);
    stop = found->second.stop;
  }
  stop.request_stop();
}

Status Jobs::WhyCancelled(std::string_view key) const {
  MutexLock lock(mutex_);
  const auto found = jobs_.find(key);
  return found == jobs_.end() ? Status() : found->second.why_cancelled;
}

size_t Jobs::running() const {
  MutexLock lock(mutex_);
  return jobs_.size();
}

void Jobs::Close(const WaitLimit& limit) {
  for (std::stop_source& stop : CloseAndWait(limit)) {
    stop.request_stop();
  }
  {
    MutexLock lock(mutex_);
    while (Busy()) {
      ended_.wait(lock.native());
    }
  }
  Reap();
}

// Those that still run at the limit.
std::vector<std::stop_source> Jobs::CloseAndWait(const WaitLimit& limit) {
  {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  // Whoever hears of it does so on this thread: not under our lock.
  closing_.request_stop();
  const StopWaker waker(limit.stop, mutex_.native(), ended_);
  MutexLock lock(mutex_);
  while (Busy() && !limit.Expired(clock_)) {
    clock_.WaitUntil(lock.native(), ended_, limit.deadline);
  }
  std::vector<std::stop_source> still_running;
  for (const auto& [key, job] : jobs_) {
    still_running.push_back(job.stop);
  }
  return still_running;
}

}  // namespace hearth::agent::node
