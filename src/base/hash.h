#pragma once

#include <cstdint>
#include <string_view>

namespace hearth {

// 64-bit content hash (XXH3): fast, stable across runs and machines, not cryptographic.
uint64_t HashBytes(std::string_view bytes, uint64_t seed = 0);

}  // namespace hearth
