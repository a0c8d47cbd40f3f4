#include "kube/client/internal/task_threads.h"

#include <pthread.h>

#include <utility>

namespace hearth::kube::internal {

TaskThreads::TaskThreads(std::string name, size_t limit) : name_(std::move(name)), limit_(limit) {}

bool TaskThreads::Run(Task task) {
  std::lock_guard lock(mutex_);
  if (stopped_) {
    return false;
  }
  tasks_.push_back(std::move(task));
  if (tasks_.size() > idle_ && threads_.size() < limit_) {
    threads_.emplace_back([this](const std::stop_token& stop) { Work(stop); });
  } else {
    changed_.notify_one();
  }
  return true;
}

void TaskThreads::Work(const std::stop_token& stop) {
  pthread_setname_np(pthread_self(), name_.c_str());
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, stop, [this] { return !tasks_.empty(); });
    --idle_;
    if (tasks_.empty()) {
      return;
    }
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task(stop);
    task = nullptr;  // what it holds goes before the lock is taken
    lock.lock();
  }
}

void TaskThreads::Stop() {
  std::vector<std::jthread> threads;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    threads.swap(threads_);
  }
  // All are asked before the first is waited for.
  for (std::jthread& thread : threads) {
    thread.request_stop();
  }
}

}  // namespace hearth::kube::internal
