// Compiled for processors with AVX2, see src/CMakeLists.txt. Nothing may be in here that others
// could link to in place of their own, such as a function of the standard library.
#define XXH_INLINE_ALL
#include "disk/internal/wide_digest.h"

#include <xxhash.h>

namespace hearth::disk {

bool HasWideRegisters() {
#ifdef __AVX2__
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

Digest WideDigestOf(const void* bytes, size_t size) {
  const XXH128_hash_t hash = XXH3_128bits(bytes, size);
  return {.high = hash.high64, .low = hash.low64};
}

}  // namespace hearth::disk
