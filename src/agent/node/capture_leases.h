#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/result.h"
#include "kube/client/client.h"

namespace hearth::agent::node {

// The Leases of one capture, held until Release or destruction, which only stops renewing them: a
// process that dies leaves them to run out.
class HeldLeases {
 public:
  virtual ~HeldLeases() = default;
  // From here on they are renewed. `on_lost` is called once, on a thread of ours, when another has
  // one of them or they could not be renewed in time: somebody else may act from then on.
  virtual void KeepRenewing(std::function<void()> on_lost) = 0;
  // Why they are lost; ok while they are held.
  virtual Status lost() const = 0;
  // Stops renewing and deletes those that are still ours.
  virtual Status Release(const WaitLimit& limit) = 0;
};

// Takes Leases for captures. Whether another still holds one is judged by our own clock: its record
// must not have changed for its whole duration. Times that others wrote decide nothing.
// Thread-safe.
class CaptureLeases {
 public:
  struct Options {
    std::string identity;  // "snapshot-agent/<uuid>", of this process
    Duration duration = std::chrono::seconds(30);
    Duration renew_period = std::chrono::seconds(10);
  };
  CaptureLeases(kube::Client& client, Clock& clock, Options options, Logger logger)
      : client_(client), clock_(clock), options_(std::move(options)), logger_(std::move(logger)) {}

  // All of them or none. `held` is null when somebody else has one: look again after `retry_after`,
  // when it will be ours unless it is renewed.
  struct Attempt {
    std::unique_ptr<HeldLeases> held;
    Duration retry_after = Duration::zero();
    std::string holder;
  };
  Result<Attempt> Take(const std::vector<kube::ObjectKey>& leases, const WaitLimit& limit);

 private:
  struct Observed {
    std::string version;
    SteadyTime since;
  };
  struct One {
    kube::Object lease;  // empty: somebody else has it
    Duration retry_after = Duration::zero();
    std::string holder;
  };
  Result<One> TakeOne(const kube::ObjectKey& key, const WaitLimit& limit);
  // kAlreadyExists: there is one.
  Result<One> Create(const kube::ObjectKey& key, const WaitLimit& limit);
  Result<One> TakeOver(const kube::Object& lease, const WaitLimit& limit);
  // How long another may still hold it.
  Duration HeldFor(const kube::Object& lease);

  kube::Client& client_;
  Clock& clock_;
  const Options options_;
  const Logger logger_;
  Guarded<std::map<kube::ObjectKey, Observed>> observed_;
};

}  // namespace hearth::agent::node
