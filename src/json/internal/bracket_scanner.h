#pragma once

#include <cstdint>

namespace hearth::json::internal {

// Where a scan stands between two pieces of text.
struct BracketState {
  int64_t depth = 0;
  uint64_t in_string = 0;  // all ones inside a string
  bool escaped = false;    // the next byte stands behind a backslash
};

// Finds where an object or array ends by counting brackets outside strings, 64 bytes at a time.
// Brackets are counted whatever their shape. Works on text that arrives in pieces.
class BracketScanner {
 public:
  // Begins at the opening bracket, or goes on where the last piece ended. Returns the place behind
  // the bracket that closes the first one, or null when [p, end) is used up.
  const char* Scan(const char* p, const char* end);

 private:
  BracketState state_;
};

// The same by instruction set; Scan takes the best this machine has.
using BracketScan = const char*(BracketState&, const char* p, const char* end);
BracketScan ScanBracketsBaseline;
BracketScan ScanBracketsAvx2;
bool HasAvx2();  // and the other instructions ScanBracketsAvx2 uses; false where there is no such
                 // function

}  // namespace hearth::json::internal
