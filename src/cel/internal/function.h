#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/internal/call_cost.h"
#include "cel/internal/regex.h"
#include "cel/value.h"

namespace hearth::cel::internal {

// Functions are rows of tables, one table per library. A row is one overload: a name, how it is
// called, the kinds it takes and what does the work. Rows of one name may stand in several tables.

constexpr Kind kAny = static_cast<Kind>(255);

// The kinds of up to four arguments, the receiver first.
class Kinds {
 public:
  static constexpr size_t kMax = 4;
  constexpr Kinds(std::initializer_list<Kind> kinds) {  // NOLINT(google-explicit-constructor)
    for (const Kind kind : kinds) {
      kinds_[size_++] = kind;
    }
  }
  constexpr size_t size() const { return size_; }
  constexpr Kind operator[](size_t i) const { return kinds_[i]; }

 private:
  std::array<Kind, kMax> kinds_{};
  size_t size_ = 0;
};

enum class Style : uint8_t { kGlobal, kMember };

// What an overload works on. `regex` is the compiled constant pattern, null when there is none.
struct Call {
  std::span<const Value> args;
  const Regex* regex = nullptr;
  const Value& operator[](size_t i) const { return args[i]; }
};

struct Overload {
  std::string_view name;
  Style style = Style::kGlobal;
  Kinds kinds;
  Value (*body)(const Call&) = nullptr;
  CostRule cost = CostRule::kOne;
  // The argument that is a regular expression; 0, which is none, elsewhere.
  size_t pattern = 0;
};

bool Accepts(const Overload& overload, std::span<const Value> args);

// All overloads of that name and style; none when there is no such function. The pointers live
// forever.
std::vector<const Overload*> FindOverloads(std::string_view name, Style style);

// "found no matching overload for 'size' applied to '(int)'"; the API server's words.
std::string NoSuchOverload(std::string_view name, std::span<const Value> args);

using Overloads = std::span<const Overload>;
Overloads StandardFunctions();
Overloads ConversionFunctions();
Overloads TimeFunctions();
Overloads OptionalFunctions();
Overloads StringFunctions();
Overloads FormatStringFunctions();
Overloads ListFunctions();
Overloads KubernetesListFunctions();
Overloads SetFunctions();
Overloads RegexFunctions();
Overloads UrlFunctions();
Overloads QuantityFunctions();
Overloads IpFunctions();
Overloads CidrFunctions();
Overloads NamedFormatFunctions();
Overloads SemverFunctions();

}  // namespace hearth::cel::internal
