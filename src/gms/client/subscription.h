#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/wait_limit.h"
#include "gms/protocol/messages.h"

namespace hearth::gms {

namespace internal {
class Rpc;
}

// Hears of every change of one memory pool, without a lease. Needs a server with the extension. One
// thread at a time.
class Subscription {
 public:
  // Events after `after` that the server still keeps come first. `limit` bounds connecting; its
  // stop ends later waits, too.
  static Result<std::unique_ptr<Subscription>> Open(const std::string& socket, uint64_t after,
                                                    const WaitLimit& limit);
  ~Subscription();
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  uint64_t newest() const { return newest_; }  // sequence of the newest event when it was opened
  // The next one. kDeadlineExceeded when none came in time; ask again then. kUnavailable when the
  // server is gone: open a new one after the last sequence seen.
  Result<ChangeNotice> Next(SteadyTime deadline = SteadyTime::max());

 private:
  Subscription(std::unique_ptr<internal::Rpc> rpc, uint64_t newest);

  std::unique_ptr<internal::Rpc> rpc_;
  uint64_t newest_;
};

}  // namespace hearth::gms
