#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "kube/client/client.h"

namespace hearth::controller {

// Holds a Lease so that only one instance acts. Trusts only its own monotonic clock and the fact
// that the record changed, never the times written in it. A leader that could not renew for
// `renew_deadline` is told so at once, well before anybody else may take over (`lease_duration`),
// and must stop acting without grace. Give it a transport of its own, so that a busy client cannot
// starve it.
class LeaderElector {
 public:
  struct Options {
    kube::ObjectKey lease;
    std::string identity;  // host name and a random suffix when empty
    Duration lease_duration = std::chrono::seconds(15);
    Duration renew_deadline = std::chrono::seconds(10);
    Duration retry_period = std::chrono::seconds(2);
  };
  // kInvalid unless lease_duration > renew_deadline > 1.2 * retry_period > 0.
  static Result<std::unique_ptr<LeaderElector>> Create(kube::Client& client, Clock& clock,
                                                       Options options, Logger logger,
                                                       Metrics* metrics);
  virtual ~LeaderElector() = default;

  // Blocks until it leads, or `stop`. kCancelled when stopped.
  virtual Status Acquire(const std::stop_token& stop) = 0;
  // While leading: renews until `stop` or until the lease is lost. ok when stopped, kConflict or
  // kDeadlineExceeded when lost.
  virtual Status Hold(const std::stop_token& stop) = 0;
  // Gives the lease up so that the next one need not wait. Only after everything stopped acting.
  virtual Status Release(const WaitLimit& limit) = 0;
  virtual bool leading() const = 0;
  virtual const std::string& identity() const = 0;
};

}  // namespace hearth::controller
