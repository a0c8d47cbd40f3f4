// BracketScanner with 32-byte vectors, for machines that have them; found out when the program
// runs.
#include <bit>
#include <cstdint>
#include <cstring>

#include "json/internal/bracket_scanner.h"
#include "json/internal/simd.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace hearth::json::internal {

bool HasAvx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
         __builtin_cpu_supports("popcnt") != 0 && __builtin_cpu_supports("pclmul") != 0;
}

}  // namespace hearth::json::internal

// From here on functions may use these instructions. Everything that other files share is included
// above.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,popcnt,pclmul"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,popcnt,pclmul")
#endif

#include "json/internal/bracket_scan_loop.h"

namespace hearth::json::internal {
namespace {

struct Avx2 {
  static uint64_t EqualMask(__m256i low, __m256i high, char c) {
    const __m256i wanted = _mm256_set1_epi8(c);
    const auto low_bits =
        static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted)));
    const auto high_bits =
        static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted)));
    return low_bits | static_cast<uint64_t>(high_bits) << 32;
  }

  static BlockMasks Classify(const char* p) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32));
    const __m256i bit = _mm256_set1_epi8(0x20);  // as in simd.h
    const __m256i low_folded = _mm256_or_si256(low, bit);
    const __m256i high_folded = _mm256_or_si256(high, bit);
    return {.quotes = EqualMask(low, high, '"'),
            .backslashes = EqualMask(low, high, '\\'),
            .opens = EqualMask(low_folded, high_folded, '{'),
            .closes = EqualMask(low_folded, high_folded, '}')};
  }

  static int CountBits(uint64_t bits) { return static_cast<int>(_mm_popcnt_u64(bits)); }

  // A product without carries by all ones adds up, bit by bit, everything below.
  static uint64_t PrefixXor(uint64_t bits) {
    const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<int64_t>(bits)),
                                                 _mm_set1_epi8(static_cast<char>(0xFF)), 0);
    return static_cast<uint64_t>(_mm_cvtsi128_si64(product));
  }
};

}  // namespace

const char* ScanBracketsAvx2(BracketState& state, const char* p, const char* end) {
  return BracketScanLoop<Avx2>::Run(state, p, end);
}

}  // namespace hearth::json::internal

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#else

namespace hearth::json::internal {

bool HasAvx2() { return false; }
const char* ScanBracketsAvx2(BracketState& state, const char* p, const char* end) {
  return ScanBracketsBaseline(state, p, end);
}

}  // namespace hearth::json::internal

#endif
