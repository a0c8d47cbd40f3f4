#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::gms {

// Which engine of a group serves. An exclusive flock on a file that all of them see: the kernel
// gives it up when its holder's process dies, however it dies, and wakes the one that waits;
// nothing is polled. Having the lock does not mean that the dead engine's device memory is back:
// allocations may still have to wait for it.
//
// A child made by fork() does not have the lock, nor keep it from others when its parent dies.
// Thread-safe; one Acquire at a time. Given up when the object goes.
class FailoverLock {
 public:
  // `identity` is what others see: "engine-<ENGINE_ID>".
  FailoverLock(std::string path, std::string identity, Logger logger = Logger());
  ~FailoverLock();
  FailoverLock(const FailoverLock&) = delete;
  FailoverLock& operator=(const FailoverLock&) = delete;

  struct Acquired {
    // Somebody had it: this is a failover, not a first start.
    bool was_contended = false;
    Duration waited{};
  };
  // Blocks until the lock is ours or the limit (of the machine's clock) is over; a limit that is
  // over already tries once. kConflict at once: this object has the lock or is waiting for it.
  // kDeadlineExceeded, kCancelled: the message names the holder, and says so when the holder is
  // dead and a child of it keeps the lock. Other codes: the file cannot be used.
  Result<Acquired> Acquire(const WaitLimit& limit);
  // The identity stays readable in the file. Nothing happens when the lock is not held.
  void Release();
  bool held() const;

  const std::string& path() const;
  const std::string& identity() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::gms
