#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Looking at many bytes at once. SSE2 is part of every x86-64; other machines take the plain loops.
namespace hearth::json::internal {

inline bool IsStringStop(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

// Where the bytes of a 64-byte block are of a kind; bit i stands for byte i.
struct BlockMasks {
  uint64_t quotes = 0;
  uint64_t backslashes = 0;
  uint64_t opens = 0;   // '{' and '['
  uint64_t closes = 0;  // '}' and ']'
};
inline constexpr int kBlockBytes = 64;

#if defined(__SSE2__)

inline __m128i Load16(const char* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}

inline unsigned StringStops16(const char* p) {
  const __m128i bytes = Load16(p);
  const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
  return static_cast<unsigned>(
      _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)));
}

// Four vectors by name: the compiler does not unroll a loop over an array of them.
struct Block {
  __m128i a, b, c, d;
};

inline Block LoadBlock(const char* p) {
  return {Load16(p), Load16(p + 16), Load16(p + 32), Load16(p + 48)};
}

inline uint64_t EqualBits(__m128i bytes, __m128i wanted) {
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)));
}

inline uint64_t EqualMask(const Block& block, char c) {
  const __m128i wanted = _mm_set1_epi8(c);
  return EqualBits(block.a, wanted) | EqualBits(block.b, wanted) << 16 |
         EqualBits(block.c, wanted) << 32 | EqualBits(block.d, wanted) << 48;
}

inline BlockMasks ClassifyQuotes(const char* p) {
  const Block block = LoadBlock(p);
  return {.quotes = EqualMask(block, '"'), .backslashes = EqualMask(block, '\\')};
}

inline BlockMasks Classify(const char* p) {
  const Block block = LoadBlock(p);
  // '[' and '{', ']' and '}' differ in this bit only.
  const __m128i bit = _mm_set1_epi8(0x20);
  const Block folded = {_mm_or_si128(block.a, bit), _mm_or_si128(block.b, bit),
                        _mm_or_si128(block.c, bit), _mm_or_si128(block.d, bit)};
  return {.quotes = EqualMask(block, '"'),
          .backslashes = EqualMask(block, '\\'),
          .opens = EqualMask(folded, '{'),
          .closes = EqualMask(folded, '}')};
}

inline bool IsAscii(const Block& block) {
  return _mm_movemask_epi8(
             _mm_or_si128(_mm_or_si128(block.a, block.b), _mm_or_si128(block.c, block.d))) == 0;
}

#else

inline BlockMasks Classify(const char* p) {
  BlockMasks masks;
  for (int i = 0; i < kBlockBytes; ++i) {
    const uint64_t bit = uint64_t{1} << i;
    masks.quotes |= p[i] == '"' ? bit : 0;
    masks.backslashes |= p[i] == '\\' ? bit : 0;
    masks.opens |= (p[i] | 0x20) == '{' ? bit : 0;
    masks.closes |= (p[i] | 0x20) == '}' ? bit : 0;
  }
  return masks;
}

inline BlockMasks ClassifyQuotes(const char* p) { return Classify(p); }

#endif

// The first quote, backslash or control character in [p, end), or end.
inline const char* FindStringStop(const char* p, const char* end) {
#if defined(__SSE2__)
  for (; end - p >= 16; p += 16) {
    const unsigned stops = StringStops16(p);
    if (stops != 0) {
      return p + std::countr_zero(stops);
    }
  }
#endif
  while (p != end && !IsStringStop(*p)) {
    ++p;
  }
  return p;
}

// The first byte in [p, end) that is not ASCII, or end.
inline const char* FindNonAscii(const char* p, const char* end) {
#if defined(__SSE2__)
  while (end - p >= kBlockBytes && IsAscii(LoadBlock(p))) {
    p += kBlockBytes;
  }
#endif
  while (p != end && static_cast<unsigned char>(*p) < 0x80) {
    ++p;
  }
  return p;
}

// The bytes of a block that stand behind an active backslash, given where backslashes are. In a run
// of backslashes every second byte does, counted from the run's start, and so does the byte behind
// a run of odd length. `escaped` says whether that holds for the first byte, and after the call for
// the byte behind the `length` bytes that count.
inline uint64_t EscapedBytes(uint64_t backslashes, int length, bool& escaped) {
  constexpr uint64_t kEven = 0x5555555555555555U;
  const uint64_t first = escaped ? 1 : 0;
  backslashes &= ~first;
  const uint64_t starts = backslashes & ~(backslashes << 1);
  // Adding a run's start to the run carries through it and clears it.
  const uint64_t even_runs = backslashes & ~(backslashes + (starts & kEven));
  const uint64_t odd_runs = backslashes & ~even_runs;
  const uint64_t behind = first | (even_runs << 1 & ~kEven) | (odd_runs << 1 & kEven);
  escaped =
      length == kBlockBytes ? ((backslashes & ~behind) >> 63) != 0 : ((behind >> length) & 1) != 0;
  return behind;
}

// Bits set in `x`. Without the popcnt instruction, which not every x86-64 has, the library call is
// slower than this.
inline int CountBits(uint64_t x) {
  x -= (x >> 1) & 0x5555555555555555U;
  x = (x & 0x3333333333333333U) + ((x >> 2) & 0x3333333333333333U);
  x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0FU;
  return static_cast<int>((x * 0x0101010101010101U) >> 56);
}

// Bit i of the result is the parity of bits 0..i: from quotes to "inside a string".
inline uint64_t PrefixXor(uint64_t bits) {
  bits ^= bits << 1;
  bits ^= bits << 2;
  bits ^= bits << 4;
  bits ^= bits << 8;
  bits ^= bits << 16;
  bits ^= bits << 32;
  return bits;
}

}  // namespace hearth::json::internal
