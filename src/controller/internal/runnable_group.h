#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::controller::internal {

// Functions that run each on a thread of their own from Start to Stop. Its destruction stops and
// joins them. Used by one thread.
class RunnableGroup {
 public:
  using Run = std::function<Status(std::stop_token)>;

  explicit RunnableGroup(Clock& clock) : clock_(clock) {}
  ~RunnableGroup();
  RunnableGroup(const RunnableGroup&) = delete;
  RunnableGroup& operator=(const RunnableGroup&) = delete;

  void Add(std::string name, Run run);
  // `on_failure` is called on the thread of one that ended with a failure, or with an exception.
  void Start(const std::function<void(Status)>& on_failure);
  // kDeadlineExceeded names those that have not ended. They are not left alone: destruction still
  // waits for them.
  Status Stop(const WaitLimit& limit);

 private:
  struct Member {
    std::string name;
    Run run;
    bool ended = false;
  };
  void RunOne(Member& member, const std::function<void(Status)>& on_failure);
  std::string NotEnded();

  Clock& clock_;
  std::vector<std::unique_ptr<Member>> members_;
  std::stop_source stop_;
  std::mutex mutex_;  // of Member::ended
  std::condition_variable ended_;
  std::vector<std::jthread> threads_;
};

}  // namespace hearth::controller::internal
