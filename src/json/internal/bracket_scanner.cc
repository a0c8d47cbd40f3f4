#include "json/internal/bracket_scanner.h"

#include "json/internal/bracket_scan_loop.h"

namespace hearth::json::internal {
namespace {

struct Baseline {
  static BlockMasks Classify(const char* p) { return internal::Classify(p); }
  static int CountBits(uint64_t bits) { return internal::CountBits(bits); }
  static uint64_t PrefixXor(uint64_t bits) { return internal::PrefixXor(bits); }
};

}  // namespace

const char* ScanBracketsBaseline(BracketState& state, const char* p, const char* end) {
  return BracketScanLoop<Baseline>::Run(state, p, end);
}

const char* BracketScanner::Scan(const char* p, const char* end) {
  static BracketScan* const scan = HasAvx2() ? ScanBracketsAvx2 : ScanBracketsBaseline;
  return scan(state_, p, end);
}

}  // namespace hearth::json::internal
