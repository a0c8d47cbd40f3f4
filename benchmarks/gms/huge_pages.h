#pragma once

#include <cstdint>

#include "base/result.h"

namespace hearth::bench {

// Pages of 2 MiB that the machine keeps for us; given back when it goes.
class HugePages {
 public:
  // kUnavailable, with how many there were, when there are not enough.
  static Result<HugePages> Reserve(uint64_t bytes);
  ~HugePages();
  HugePages(HugePages&& other) noexcept : before_(other.before_) { other.before_ = -1; }
  HugePages& operator=(HugePages&&) = delete;

 private:
  explicit HugePages(int64_t before) : before_(before) {}
  int64_t before_;  // reserved by others; -1: moved from
};

}  // namespace hearth::bench
