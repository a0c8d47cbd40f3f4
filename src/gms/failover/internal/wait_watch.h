#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "base/log.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "base/wait_limit.h"
#include "gms/failover/internal/flock_wait.h"

namespace hearth::gms::internal {

// Stands beside a thread that waits for a failover lock: calls the wait off when its limit is over,
// and says in the log when the holder has died and the lock did not come. Sleeps until one of these
// happens.
class WaitWatch {
 public:
  static Result<std::unique_ptr<WaitWatch>> Start(std::shared_ptr<FlockWait> wait,
                                                  const WaitLimit& limit, const std::string& path,
                                                  const Logger& logger);
  ~WaitWatch() { Finish(); }
  WaitWatch(const WaitWatch&) = delete;
  WaitWatch& operator=(const WaitWatch&) = delete;

  // The wait is over. Does not wait for the watch to end: who got the lock has better things to do.
  void Finish();

 private:
  WaitWatch(std::shared_ptr<FlockWait> wait, WaitLimit limit, std::string path, Logger logger,
            UniqueFd bell)
      : wait_(std::move(wait)),
        limit_(std::move(limit)),
        path_(std::move(path)),
        logger_(std::move(logger)),
        bell_(std::move(bell)) {}
  void Ring() const;
  void Run();
  UniqueFd WatchOwner() const;
  bool Sleep(int owner, Duration at_most) const;
  void LookAtOwner() const;

  std::shared_ptr<FlockWait> wait_;
  WaitLimit limit_;
  std::string path_;
  Logger logger_;
  UniqueFd bell_;  // rung by Finish and by a stop
  std::atomic<bool> finished_ = false;
  std::jthread thread_;  // last: uses the others
};

}  // namespace hearth::gms::internal
