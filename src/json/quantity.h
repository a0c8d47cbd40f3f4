#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hearth::json {

// A Kubernetes quantity, exact: "500m", "1Gi", "1e3", "0.5". Range and precision as apimachinery
// has them: values are held to nano precision (finer is rounded up, away from zero); more than the
// maximum, 2^63-1 with a binary suffix and 1e29 otherwise, becomes the maximum. Compared by value,
// written in canonical form.
class Quantity {
 public:
  Quantity() = default;  // 0
  static Result<Quantity> Parse(std::string_view text);
  static Quantity FromInt(int64_t value);

  // "500m", "1Gi": what kube-apiserver would write for it, the suffix family it was given kept.
  std::string ToString() const;
  // Rounded up as Kubernetes does; saturates.
  int64_t Value() const;
  int64_t MilliValue() const;
  // The exact value; nothing when it is no integer or does not fit.
  std::optional<int64_t> ToInt() const;
  double ToDouble() const;

  // Exact, saturating at the decimal maximum. The result is written like the left one, or like the
  // right one when the left is zero.
  friend Quantity operator+(const Quantity& a, const Quantity& b);
  friend Quantity operator-(const Quantity& a, const Quantity& b);

  // Equal quantities have equal hashes, whatever their suffixes.
  uint64_t Hash() const;

  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b);
  friend bool operator==(const Quantity& a, const Quantity& b);

 private:
  enum class Format { kDecimalSI, kBinarySI, kDecimalExponent };
  __int128 nanos_ = 0;
  Format format_ = Format::kDecimalSI;
};

}  // namespace hearth::json
