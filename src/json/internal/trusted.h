#pragma once

#include <cstring>

#include "json/internal/bracket_scanner.h"
#include "json/internal/simd.h"

// Finding the way through compact JSON that is known to be valid: no checks but the end.
namespace hearth::json::internal {

// From an opening quote to the closing one, or end.
inline const char* StringEnd(const char* p, const char* end) {
  p = FindStringStop(p + 1, end);
  while (end - p > 1 && *p != '"') {
    p = FindStringStop(p + 2, end);
  }
  return p;
}

inline const char* SkipScalar(const char* p, const char* end) {
  while (p != end && *p != ',' && *p != '}' && *p != ']') {
    ++p;
  }
  return p;
}

inline const char* SkipContainer(const char* p, const char* end) {
  const char* behind = BracketScanner().Scan(p, end);
  return behind == nullptr ? end : behind;
}

// From a value's first byte to the place behind its last.
inline const char* SkipValue(const char* p, const char* end) {
  if (p == end) {
    return end;
  }
  if (*p == '"') {
    const char* close = StringEnd(p, end);
    return close == end ? end : close + 1;
  }
  return *p == '{' || *p == '[' ? SkipContainer(p, end) : SkipScalar(p, end);
}

// The quotes of a text that begin and end strings, one after the other. Many are found at once and
// handed out from a register, so that stepping over short strings does not wait for memory each
// time.
class QuoteCursor {
 public:
  // `p` is outside strings.
  QuoteCursor(const char* p, const char* end) : block_(p), end_(end) { Load(); }

  const char* Next() {  // end when there is none
    while (quotes_ == 0) {
      if (end_ - block_ <= kBlockBytes) {
        return end_;
      }
      block_ += kBlockBytes;
      Load();
    }
    const char* quote = block_ + std::countr_zero(quotes_);
    quotes_ &= quotes_ - 1;
    return quote;
  }

  // Goes on at another place, again outside strings.
  void Seek(const char* p) {
    block_ = p;
    escaped_ = false;
    Load();
  }

  // False when no string that was passed has an escape.
  bool saw_backslash() const { return saw_backslash_; }

 private:
  void Load() {
    if (end_ - block_ >= kBlockBytes) {
      Take(ClassifyQuotes(block_));
      return;
    }
    char last[kBlockBytes] = {};
    std::memcpy(last, block_, end_ - block_);
    Take(ClassifyQuotes(last));
  }

  void Take(const BlockMasks& masks) {
    quotes_ = masks.quotes;
    if (masks.backslashes != 0 || escaped_) {
      saw_backslash_ = true;
      quotes_ &= ~EscapedBytes(masks.backslashes, kBlockBytes, escaped_);
    }
  }

  const char* block_;
  const char* end_;
  uint64_t quotes_ = 0;
  bool escaped_ = false;
  bool saw_backslash_ = false;
};

}  // namespace hearth::json::internal
