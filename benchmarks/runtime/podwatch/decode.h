#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace hearth::bench {

// What a watch event costs from the bytes that were read to the cache: framing, pruning, storing,
// telling. No socket and no encryption. Answers with the line of the protocol.
Result<std::string> Decode(size_t events);

}  // namespace hearth::bench
