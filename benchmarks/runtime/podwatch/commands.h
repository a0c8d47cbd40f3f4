#pragma once

#include <iosfwd>

#include "base/clock.h"
#include "base/result.h"
#include "subject.h"

namespace hearth::bench {

// Reports the first filling, then obeys what comes on `in` until quit or its end; see
// benchmarks/peers/README.md for the words. kInvalid for a command that is none.
Status Serve(Subject& subject, Meter& meter, SteadyTime started, std::istream& in,
             std::ostream& out);

}  // namespace hearth::bench
