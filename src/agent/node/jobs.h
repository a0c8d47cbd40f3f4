#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/wait_limit.h"

namespace hearth::agent::node {

// Work that takes longer than a pass of a reconciler: each on a thread of its own, known by a key
// that runs once at a time. Thread-safe. What the jobs use must outlive it or its Close.
class Jobs {
 public:
  using Work = std::function<void(const std::stop_token& stop)>;

  explicit Jobs(Clock& clock) : clock_(clock) {}
  ~Jobs();  // asks all to stop and waits for them

  // False when the key runs already, or nothing new may begin. `then` is called on the same thread
  // once the key is free again, so that who is told by it may start the next.
  bool Start(std::string key, Work work, std::function<void()> then = {});
  bool Running(std::string_view key) const;
  // Asks it to stop; does not wait. The first `why` is what WhyCancelled tells the job.
  void Cancel(std::string_view key, Status why);
  // For the job itself: why it was asked to stop; ok when it was not, or all are.
  Status WhyCancelled(std::string_view key) const;
  size_t running() const;

  // Nothing new begins; what runs may go on until `limit`, is asked to stop then, and waited for.
  void Close(const WaitLimit& limit);
  // Stops when Close begins: for what only waits, which nobody gains by going on.
  std::stop_token closing() const { return closing_.get_token(); }

 private:
  struct Job {
    std::jthread thread;
    std::stop_source stop;
    Status why_cancelled;
  };
  void Run(const std::string& key, const Work& work, const std::function<void()>& then,
           const std::stop_token& stop);
  bool Busy() const REQUIRES(mutex_) { return !jobs_.empty() || ending_ > 0; }
  void Reap();
  std::vector<std::stop_source> CloseAndWait(const WaitLimit& limit);

  Clock& clock_;
  std::stop_source closing_;
  mutable Mutex mutex_;
  std::condition_variable ended_;
  bool closed_ GUARDED_BY(mutex_) = false;
  std::map<std::string, Job, std::less<>> jobs_ GUARDED_BY(mutex_);
  int ending_ GUARDED_BY(mutex_) = 0;                      // in their `then`
  std::vector<std::jthread> finished_ GUARDED_BY(mutex_);  // have nothing left to do but to end
};

}  // namespace hearth::agent::node
