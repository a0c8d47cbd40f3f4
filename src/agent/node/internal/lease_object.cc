#include "agent/node/internal/lease_object.h"

#include <utility>

#include "json/time.h"

namespace hearth::agent::node::internal {
namespace {

void Fill(json::Value& spec, const std::string& holder, Duration duration, WallTime now) {
  spec.Set("holderIdentity", holder);
  spec.Set("leaseDurationSeconds",
           static_cast<int64_t>(std::chrono::ceil<std::chrono::seconds>(duration).count()));
  spec.Set("renewTime", json::Time{now}.ToMicroString());
}

}  // namespace

json::Value NewLease(const kube::ObjectKey& key, const std::string& holder, Duration duration,
                     WallTime now) {
  json::Value lease = kube::NewObject(kube::types::Leases(), key);
  Fill(lease["spec"], holder, duration, now);
  lease["spec"].Set("acquireTime", json::Time{now}.ToMicroString());
  lease["spec"].Set("leaseTransitions", 0);
  return lease;
}

json::Value RenewedLease(const kube::Object& lease, const std::string& holder, Duration duration,
                         WallTime now) {
  json::Value renewed = lease.ToValue();
  json::Value& spec = renewed["spec"];
  if (HolderOf(lease) != holder) {
    const int64_t before = lease["spec"]["leaseTransitions"].Int().value_or(0);
    spec.Set("leaseTransitions", before + 1);
    spec.Set("acquireTime", json::Time{now}.ToMicroString());
  }
  Fill(spec, holder, duration, now);
  return renewed;
}

std::string HolderOf(const kube::Object& lease) {
  return lease["spec"]["holderIdentity"].StringOr("");
}

Duration DurationOf(const kube::Object& lease) {
  return std::chrono::seconds(lease["spec"]["leaseDurationSeconds"].Int().value_or(0));
}

Result<kube::Object> Write(kube::Client& client, const json::Value& lease, const WaitLimit& limit) {
  const std::string body = lease.Write();
  const kube::ObjectKey key{lease.FindPath("metadata.namespace")->StringOr(""),
                            lease.FindPath("metadata.name")->StringOr("")};
  return lease.FindPath("metadata.resourceVersion") == nullptr
             ? client.Create(kube::types::Leases(), key.name_space, json::View::Trusted(body),
                             limit)
             : client.Update(kube::types::Leases(), key, json::View::Trusted(body), limit);
}

Status DeleteLease(kube::Client& client, const kube::Object& lease, const WaitLimit& limit) {
  const kube::Meta meta = lease.meta();
  kube::DeleteOptions options;
  options.uid = meta.uid();
  options.resource_version = meta.resource_version();
  const Status deleted = client.Delete(kube::types::Leases(), meta.key(), limit, options).status();
  return deleted.Is(Code::kNotFound) || deleted.Is(Code::kConflict) ? Status::Ok() : deleted;
}

}  // namespace hearth::agent::node::internal
