#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "json/internal/bracket_scanner.h"
#include "json/internal/simd.h"

// The loop behind BracketScanner, written once for all instruction sets. `Isa` has
//   static BlockMasks Classify(const char* p);     of 64 bytes
//   static int CountBits(uint64_t bits);
//   static uint64_t PrefixXor(uint64_t bits);      bit i: parity of bits 0..i
// Everything is a template so that no two instruction sets share a function.
namespace hearth::json::internal {

template <typename Isa>
class BracketScanLoop {
 public:
  static const char* Run(BracketState& shared, const char* p, const char* end) {
    BracketState state = shared;  // in registers
    for (; end - p >= kBlockBytes; p += kBlockBytes) {
      const int close = ScanBlock(state, p, kBlockBytes);
      if (close >= 0) {
        return p + close + 1;
      }
    }
    const int close = ScanRest(state, p, static_cast<int>(end - p));
    shared = state;
    return close < 0 ? nullptr : p + close + 1;
  }

 private:
  static int ScanRest(BracketState& state, const char* p, int length) {
    char block[kBlockBytes] = {};
    std::memcpy(block, p, length);
    return length == 0 ? -1 : ScanBlock(state, block, length);
  }

  // The place of the closing bracket, or -1. Bytes behind `length` are zero.
  static int ScanBlock(BracketState& state, const char* p, int length) {
    const BlockMasks masks = Isa::Classify(p);
    uint64_t quotes = masks.quotes;
    if (masks.backslashes != 0 || state.escaped) {
      quotes &= ~EscapedBytes(masks.backslashes, length, state.escaped);
    }
    const uint64_t inside = Isa::PrefixXor(quotes) ^ state.in_string;
    state.in_string = 0 - (inside >> 63);
    const uint64_t opens = masks.opens & ~inside;
    const uint64_t closes = masks.closes & ~inside;
    const int64_t depth = state.depth;
    const int closed = Isa::CountBits(closes);
    state.depth += Isa::CountBits(opens) - closed;
    // Too few closing brackets to end here: no need to look at each.
    return closed < depth ? -1 : FindClose(depth, opens, closes);
  }

  static int FindClose(int64_t depth, uint64_t opens, uint64_t closes) {
    // The bracket that closes the outermost is the depth-th closing one or a later one.
    int64_t nth = 1;
    for (; nth < depth && closes != 0; ++nth) {
      closes &= closes - 1;
    }
    for (; closes != 0; ++nth, closes &= closes - 1) {
      const uint64_t before = (closes & (0 - closes)) - 1;
      if (depth + Isa::CountBits(opens & before) <= nth) {
        return std::countr_zero(closes);
      }
    }
    return -1;
  }
};

}  // namespace hearth::json::internal
