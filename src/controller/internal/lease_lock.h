#pragma once

#include <atomic>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "controller/internal/lease_record.h"
#include "controller/leader_elector.h"
#include "kube/client/client.h"
#include "kube/model/object.h"

namespace hearth::controller::internal {

// The single steps of leader election, without any waiting between them. Why two can never lead
// together: a leader leads until `renew_deadline` after it *sent* its last successful write;
// another sees that write only later, and then waits `lease_duration`, which is longer, without
// seeing another one; and every write carries the version it was decided on, so a late one is
// refused. leading() may be asked from any thread; everything else by one thread.
class LeaseLock {
 public:
  LeaseLock(kube::Client& client, Clock& clock, LeaderElector::Options options);

  // True when we lead now, false when somebody else has it or got it first. A failure says nothing
  // about who leads.
  Result<bool> TryAcquire(const WaitLimit& limit);
  // ok: renewed. kConflict with reason kLostReason: somebody else has it. Any other failure: try
  // again until leads_until().
  Status Renew(const WaitLimit& limit);
  // Writes that nobody holds it, unless it is no longer ours.
  Status Release(const WaitLimit& limit);

  bool leading() const;
  SteadyTime leads_until() const { return SteadyTime(Duration(leads_until_.load())); }
  void StopLeading() { leads_until_ = kNever; }
  const LeaderElector::Options& options() const { return options_; }
  const std::string& holder() const { return observed_.record().holder; }

 private:
  static constexpr Duration::rep kNever = 0;

  Status Read(const WaitLimit& limit);  // into object_ and observed_; kNotFound leaves them
  Status Write(LeaseRecord record, const WaitLimit& limit);
  Status Create(const LeaseRecord& record, const WaitLimit& limit);
  Status Update(const LeaseRecord& record, const WaitLimit& limit);
  void Keep(kube::Object object);
  LeaseRecord NextRecord() const;
  Status RenewFromRead(const WaitLimit& limit);
  Status Lost(const std::string& holder) const;

  kube::Client& client_;
  Clock& clock_;
  const LeaderElector::Options options_;
  kube::Object object_;  // the Lease as last read or written; empty when there is none
  ObservedLease observed_;
  std::atomic<Duration::rep> leads_until_{kNever};
};

inline constexpr std::string_view kLostReason = "LeaseLost";

}  // namespace hearth::controller::internal
