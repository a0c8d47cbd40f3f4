#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "json/value.h"
#include "json/view.h"

namespace hearth::controller::internal {

// The spec of a Lease as leader election uses it. Times stay text: nobody may decide anything by
// another machine's clock, they are only compared for being different.
struct LeaseRecord {
  std::string holder;  // empty: nobody
  int64_t duration_seconds = 0;
  std::string acquire_time;
  std::string renew_time;
  int64_t transitions = 0;

  static LeaseRecord From(json::View lease);
  // Into a Lease object; whatever else is in it stays.
  void WriteTo(json::Value& lease) const;
  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

// The record as one candidate has seen it: how long it has not changed, by the candidate's own
// monotonic clock.
class ObservedLease {
 public:
  void Observe(LeaseRecord record, SteadyTime now);
  // The Lease was deleted. Whoever held it has not heard of that and acts on, so this counts as a
  // change, once.
  void ObserveGone(SteadyTime now);
  // Whether somebody else may still be acting. A record without a duration is given `fallback`.
  bool HeldByAnother(const std::string& identity, SteadyTime now, Duration fallback) const;
  const LeaseRecord& record() const { return record_; }

 private:
  LeaseRecord record_;
  SteadyTime changed_at_;
};

}  // namespace hearth::controller::internal
