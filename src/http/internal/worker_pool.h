#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace hearth::http {

// Threads that run tasks in the order given. A thread is made when a task finds none free, up to
// the limit, and stays. Thread-safe.
class WorkerPool {
 public:
  WorkerPool(std::string name, int limit);
  ~WorkerPool() { Stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Dropped once stopped.
  void Run(std::function<void()> task);
  // Drops the tasks not begun, waits for those that are. Not from a task.
  void Stop();

 private:
  void Work();

  const std::string name_;
  const size_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool stopped_ = false;
};

}  // namespace hearth::http
