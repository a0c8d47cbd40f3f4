#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/result.h"
#include "json/value.h"
#include "json/view.h"

namespace hearth::json {

// Kubernetes' IntOrString: 80, "http", "25%".
struct IntOrString {
  std::variant<int64_t, std::string> value = int64_t{0};

  static Result<IntOrString> From(View view);
  Value ToValue() const;
  bool IsInt() const { return std::holds_alternative<int64_t>(value); }
  // An int as it is; "25%" of `total`, rounded up or down. kInvalid for any other string.
  Result<int64_t> Scaled(int64_t total, bool round_up) const;
  friend bool operator==(const IntOrString&, const IntOrString&) = default;
};

}  // namespace hearth::json
