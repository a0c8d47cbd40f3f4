#pragma once

#include "base/stop_signal.h"

namespace hearth::grove::initc {

// The grove-initc program: waits until pods of other cliques are ready. Its exit code.
int RunInitc(int argc, const char* const* argv, const StopSignal& stop);

}  // namespace hearth::grove::initc
