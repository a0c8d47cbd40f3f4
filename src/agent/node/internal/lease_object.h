#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "kube/model/object.h"

// Leases as values, and their writes.
namespace hearth::agent::node::internal {

// A Lease that `holder` has just taken.
json::Value NewLease(const kube::ObjectKey& key, const std::string& holder, Duration duration,
                     WallTime now);
// The same Lease, renewed; its acquire time moves when the holder changes.
json::Value RenewedLease(const kube::Object& lease, const std::string& holder, Duration duration,
                         WallTime now);
std::string HolderOf(const kube::Object& lease);
Duration DurationOf(const kube::Object& lease);

// With the version it was read at: kConflict when somebody else wrote it.
Result<kube::Object> Write(kube::Client& client, const json::Value& lease, const WaitLimit& limit);
// Only this very version; one that is gone or was changed is left as it is.
Status DeleteLease(kube::Client& client, const kube::Object& lease, const WaitLimit& limit);

}  // namespace hearth::agent::node::internal
