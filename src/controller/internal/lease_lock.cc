#include "controller/internal/lease_lock.h"

#include <utility>

#include "json/time.h"

namespace hearth::controller::internal {
namespace {

int64_t WholeSeconds(Duration duration) {
  return std::chrono::ceil<std::chrono::seconds>(duration).count();
}

}  // namespace

LeaseLock::LeaseLock(kube::Client& client, Clock& clock, LeaderElector::Options options)
    : client_(client), clock_(clock), options_(std::move(options)) {}

Result<bool> LeaseLock::TryAcquire(const WaitLimit& limit) {
  const Status read = Read(limit);
  if (read.Is(Code::kNotFound)) {
    object_ = {};
    observed_.ObserveGone(clock_.Now());
  } else {
    RETURN_IF_ERROR(read);
  }
  if (observed_.HeldByAnother(options_.identity, clock_.Now(), options_.lease_duration)) {
    return false;
  }
  Status written = Write(NextRecord(), limit);
  if (written.Is(Code::kConflict) || written.Is(Code::kAlreadyExists)) {
    return false;
  }
  RETURN_IF_ERROR(written);
  return leading();
}

Status LeaseLock::Renew(const WaitLimit& limit) {
  if (!leading()) {
    return DeadlineError("the lease " + options_.lease.ToString() + " was not renewed in time");
  }
  Status written = Write(NextRecord(), limit);
  if (written.Is(Code::kConflict) || written.Is(Code::kNotFound) ||
      written.Is(Code::kAlreadyExists)) {
    return RenewFromRead(limit);
  }
  return written;
}

// Somebody else wrote the Lease, took it or deleted it.
Status LeaseLock::RenewFromRead(const WaitLimit& limit) {
  const Status read = Read(limit);
  if (read.Is(Code::kNotFound)) {
    object_ = {};
  } else {
    RETURN_IF_ERROR(read);
    if (holder() != options_.identity) {
      StopLeading();
      return Lost(holder());
    }
  }
  // A conflict here is a failure like any other: the next try reads again.
  return Write(NextRecord(), limit);
}

Status LeaseLock::Release(const WaitLimit& limit) {
  LeaseRecord record = NextRecord();
  record.holder = "";
  record.duration_seconds = 1;
  StopLeading();
  Status released = Update(record, limit);
  if (released.Is(Code::kConflict)) {
    released = Read(limit);
    if (released.ok() && holder() == options_.identity) {
      released = Update(record, limit);
    }
  }
  return released.Is(Code::kNotFound) ? Status::Ok() : released;
}

bool LeaseLock::leading() const { return clock_.Now() < leads_until(); }

Status LeaseLock::Read(const WaitLimit& limit) {
  ASSIGN_OR_RETURN(kube::Object object, client_.Get(kube::types::Leases(), options_.lease, limit));
  Keep(std::move(object));
  return {};
}

// Makes us lead, or lead longer, from the time before the request on.
Status LeaseLock::Write(LeaseRecord record, const WaitLimit& limit) {
  const SteadyTime sent = clock_.Now();
  const bool led = leading();
  RETURN_IF_ERROR(object_.blob().empty() ? Create(std::move(record), limit)
                                         : Update(std::move(record), limit));
  if (led && !leading()) {
    // The answer came after we had to stop: whoever was told so has stopped.
    return DeadlineError("the lease " + options_.lease.ToString() + " was renewed too late");
  }
  leads_until_ = TimeAfter(sent, options_.renew_deadline).time_since_epoch().count();
  return {};
}

Status LeaseLock::Create(const LeaseRecord& record, const WaitLimit& limit) {
  json::Value lease = kube::NewObject(kube::types::Leases(), options_.lease);
  record.WriteTo(lease);
  const json::Blob body = lease.ToBlob();
  ASSIGN_OR_RETURN(
      kube::Object object,
      client_.Create(kube::types::Leases(), options_.lease.name_space, body.view(), limit));
  Keep(std::move(object));
  return {};
}

// Carries the resource version of object_, so it is refused when anybody wrote in between.
Status LeaseLock::Update(const LeaseRecord& record, const WaitLimit& limit) {
  json::Value lease = object_.ToValue();
  record.WriteTo(lease);
  const json::Blob body = lease.ToBlob();
  ASSIGN_OR_RETURN(kube::Object object,
                   client_.Update(kube::types::Leases(), options_.lease, body.view(), limit));
  Keep(std::move(object));
  return {};
}

void LeaseLock::Keep(kube::Object object) {
  object_ = std::move(object);
  observed_.Observe(LeaseRecord::From(object_.view()), clock_.Now());
}

LeaseRecord LeaseLock::NextRecord() const {
  const std::string now = json::Time{clock_.WallNow()}.ToMicroString();
  LeaseRecord next = object_.blob().empty() ? LeaseRecord() : observed_.record();
  if (next.holder != options_.identity) {
    next.acquire_time = now;
    next.transitions += object_.blob().empty() ? 0 : 1;
  }
  next.holder = options_.identity;
  next.duration_seconds = WholeSeconds(options_.lease_duration);
  next.renew_time = now;
  return next;
}

Status LeaseLock::Lost(const std::string& holder) const {
  const std::string now_held = holder.empty() ? "nobody" : holder;
  return Status(Code::kConflict, std::string(kLostReason),
                "the lease " + options_.lease.ToString() + " is held by " + now_held +
                    " now; only one instance may act");
}

}  // namespace hearth::controller::internal
