#pragma once

#include "base/status.h"
#include "names.h"
#include "plan.h"

namespace hearth::bench {

// Bytes between disk and memory, beside fio, cp and memcpy. Benches follow each other; within one,
// who is compared takes turns. Fails when something of ours does; what was measured stays.
Status MeasureData(const Plan& plan, Figures& figures);

}  // namespace hearth::bench
