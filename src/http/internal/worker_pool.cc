#include "http/internal/worker_pool.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace hearth::http {

WorkerPool::WorkerPool(std::string name, int limit)
    : name_(std::move(name)), limit_(static_cast<size_t>(std::max(1, limit))) {}

void WorkerPool::Run(std::function<void()> task) {
  std::lock_guard lock(mutex_);
  if (stopped_) {
    return;
  }
  tasks_.push_back(std::move(task));
  if (tasks_.size() > idle_ && threads_.size() < limit_) {
    threads_.emplace_back([this] { Work(); });
  } else {
    changed_.notify_one();
  }
}

void WorkerPool::Work() {
  pthread_setname_np(pthread_self(), name_.c_str());
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [this] { return stopped_ || !tasks_.empty(); });
    --idle_;
    if (stopped_) {
      return;
    }
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // what it holds goes before the lock is taken
    lock.lock();
  }
}

void WorkerPool::Stop() {
  std::deque<std::function<void()>> dropped;
  std::vector<std::thread> threads;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    dropped.swap(tasks_);
    threads.swap(threads_);
    changed_.notify_all();
  }
  dropped.clear();
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace hearth::http
