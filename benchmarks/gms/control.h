#pragma once

#include "base/status.h"
#include "names.h"
#include "plan.h"

namespace hearth::bench {

// Requests, leases and failover with a real server and real clients, beside bare loops. Fails when
// something of ours does; what was measured stays. Forks: no other threads may run.
Status MeasureControl(const Plan& plan, Figures& figures);

}  // namespace hearth::bench
