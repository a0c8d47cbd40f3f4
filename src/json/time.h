#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace hearth::json {

// Reason of a failure to parse a time that is right but later than can be held, in 2262 or after.
inline constexpr std::string_view kTimeTooLate = "TimeTooLate";

// A point in time as Kubernetes writes it.
struct Time {
  WallTime at;

  // RFC 3339 with any offset and up to nine fractional digits.
  static Result<Time> Parse(std::string_view text);
  std::string ToString() const;       // 2026-11-15T22:11:52Z, as metav1.Time
  std::string ToMicroString() const;  // 2026-11-15T22:11:52.123456Z, as metav1.MicroTime
  friend auto operator<=>(const Time&, const Time&) = default;
};

}  // namespace hearth::json
