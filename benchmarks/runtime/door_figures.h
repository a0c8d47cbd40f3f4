#pragma once

#include "base/status.h"
#include "plan.h"
#include "statistics.h"

namespace hearth::bench {

// What the webhooks do between reading a request and writing the answer, in this process: defaults
// and rules of a PodCliqueSet of 1,000 pods, and conversion of a full graph both ways. Times are of
// the processor: on a busy machine the clock tells how long others ran. One round.
Status MeasureDoor(const Plan& plan, Samples& samples);

}  // namespace hearth::bench
