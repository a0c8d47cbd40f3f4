#include "agent/node/heartbeat.h"

#include "agent/node/internal/lease_object.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/node_names.h"

namespace hearth::agent::node {

Status Heartbeat::Beat(const WaitLimit& limit) {
  const kube::ObjectKey key{options_.name_space, snapshot::AgentLeaseName(options_.node)};
  const Duration duration = std::chrono::seconds(snapshot::kAgentLeaseSeconds);
  const auto lease = client_.Get(kube::types::Leases(), key, limit);
  if (!lease.ok() && !lease.status().Is(Code::kNotFound)) {
    return lease.status();
  }
  json::Value wanted =
      lease.ok() ? internal::RenewedLease(*lease, options_.node, duration, clock_.WallNow())
                 : internal::NewLease(key, options_.node, duration, clock_.WallNow());
  wanted["metadata"]["labels"].Set(snapshot::kComponentLabel, snapshot::kAgentComponent);
  return internal::Write(client_, wanted, limit).status();
}

Status Heartbeat::Run(const std::stop_token& stop) {
  bool told = false;
  do {
    const Status beat = Beat(WaitLimit::For(clock_, options_.period, stop));
    if (!beat.ok() && !told && !stop.stop_requested()) {
      logger_.Warning("cannot show that this agent is alive", {{"error", beat.ToString()}});
    }
    told = !beat.ok();
  } while (SleepFor(clock_, options_.period, stop));
  return {};
}

}  // namespace hearth::agent::node
