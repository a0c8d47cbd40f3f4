#include "controller/internal/lease_record.h"

#include <algorithm>
#include <utility>

namespace hearth::controller::internal {

LeaseRecord LeaseRecord::From(json::View lease) {
  const json::View spec = lease["spec"];
  return {.holder = spec["holderIdentity"].StringOr(""),
          .duration_seconds = spec["leaseDurationSeconds"].Int().value_or(0),
          .acquire_time = spec["acquireTime"].StringOr(""),
          .renew_time = spec["renewTime"].StringOr(""),
          .transitions = spec["leaseTransitions"].Int().value_or(0)};
}

void LeaseRecord::WriteTo(json::Value& lease) const {
  json::Value& spec = lease["spec"];
  spec.Set("holderIdentity", holder);
  spec.Set("leaseDurationSeconds", duration_seconds);
  spec.Set("acquireTime", acquire_time);
  spec.Set("renewTime", renew_time);
  spec.Set("leaseTransitions", transitions);
}

void ObservedLease::Observe(LeaseRecord record, SteadyTime now) {
  if (record != record_) {
    record_ = std::move(record);
    changed_at_ = now;
  }
}

void ObservedLease::ObserveGone(SteadyTime now) {
  LeaseRecord gone = record_;
  gone.renew_time.clear();
  Observe(std::move(gone), now);
}

bool ObservedLease::HeldByAnother(const std::string& identity, SteadyTime now,
                                  Duration fallback) const {
  if (record_.holder.empty() || record_.holder == identity) {
    return false;
  }
  // The number comes from outside; a year is as good as for ever and cannot overflow.
  constexpr int64_t kYear = int64_t{366} * 86400;
  const Duration duration = record_.duration_seconds > 0
                                ? std::chrono::seconds(std::min(record_.duration_seconds, kYear))
                                : fallback;
  return now < TimeAfter(changed_at_, duration);
}

}  // namespace hearth::controller::internal
