#pragma once

#include "base/status.h"
#include "figures.h"
#include "plan.h"

namespace hearth::bench {

// From an order in the API server until CRIU is started (C6): the agent's loops, its way to the
// container over CRI, and everything that a capture does before CRIU.
Status MeasureEvents(const Plan& plan, Stage& stage, Figures& figures);

// The agent's program: how soon it asks the API server for the first time, and its memory when it
// has nothing to do (C8).
Status MeasureProgram(const Plan& plan, Figures& figures);

}  // namespace hearth::bench
