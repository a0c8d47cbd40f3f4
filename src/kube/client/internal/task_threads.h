#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace hearth::kube::internal {

// Runs blocking work off the loop. A thread is made when a task finds none free, up to the limit,
// and stays. Thread-safe.
class TaskThreads {
 public:
  using Task = std::function<void(const std::stop_token& stop)>;

  TaskThreads(std::string name, size_t limit);
  ~TaskThreads() { Stop(); }
  TaskThreads(const TaskThreads&) = delete;
  TaskThreads& operator=(const TaskThreads&) = delete;

  // False once stopped; the task is then dropped.
  bool Run(Task task);
  // Asks running tasks to stop and waits for them. Those not begun run too, with the stop already
  // requested, so that nobody waits for them in vain. Not from a task.
  void Stop();

 private:
  void Work(const std::stop_token& stop);

  const std::string name_;
  const size_t limit_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Task> tasks_;
  size_t idle_ = 0;
  bool stopped_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace hearth::kube::internal
