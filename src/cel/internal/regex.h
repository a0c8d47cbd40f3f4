#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hearth::cel::internal {

// A compiled regular expression, in RE2's syntax with RE2's linear time. Thread-safe.
class Regex {
 public:
  // kInvalid with what is wrong with the pattern.
  static Result<std::shared_ptr<const Regex>> Compile(std::string_view pattern);

  virtual ~Regex() = default;
  // Whether it matches somewhere in `text`.
  virtual bool Matches(std::string_view text) const = 0;
  // The first match, "" when there is none.
  virtual std::string_view Find(std::string_view text) const = 0;
  // At most `limit` matches from left to right, all when it is negative.
  virtual std::vector<std::string_view> FindAll(std::string_view text, int64_t limit) const = 0;
};

}  // namespace hearth::cel::internal
