#include "base/internal/option_value.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/duration.h"
#include "base/strings.h"

namespace hearth::internal {
namespace {

struct ByteUnit {
  std::string_view suffix;
  uint64_t factor;
};
// As Kubernetes quantities have them.
constexpr ByteUnit kByteUnits[] = {
    {"Ei", uint64_t{1} << 60},
    {"Pi", uint64_t{1} << 50},
    {"Ti", uint64_t{1} << 40},
    {"Gi", uint64_t{1} << 30},
    {"Mi", uint64_t{1} << 20},
    {"Ki", uint64_t{1} << 10},
    {"E", 1'000'000'000'000'000'000},
    {"P", 1'000'000'000'000'000},
    {"T", 1'000'000'000'000},
    {"G", 1'000'000'000},
    {"M", 1'000'000},
    {"k", 1'000},
};

template <typename T>
bool ParseWhole(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && !text.empty();
}

Status NotA(std::string_view what, std::string_view text) {
  return InvalidError("'" + Excerpt(text, 40) + "' is not " + std::string(what));
}

Result<bool> ParseFlag(std::string_view text) {
  if (text == "true" || text == "1") {
    return true;
  }
  if (text == "false" || text == "0") {
    return false;
  }
  return NotA("true or false", text);
}

Result<OptionValue> Parse(const bool* /*kind*/, const std::string& text) {
  ASSIGN_OR_RETURN(const bool value, ParseFlag(text));
  return OptionValue(value);
}
Result<OptionValue> Parse(const int64_t* /*kind*/, const std::string& text) {
  ASSIGN_OR_RETURN(const int64_t value, ParseInteger(text));
  return OptionValue(value);
}
Result<OptionValue> Parse(const double* /*kind*/, const std::string& text) {
  ASSIGN_OR_RETURN(const double value, ParseNumber(text));
  return OptionValue(value);
}
Result<OptionValue> Parse(const std::string* /*kind*/, const std::string& text) {
  return OptionValue(text);
}
Result<OptionValue> Parse(const Duration* /*kind*/, const std::string& text) {
  ASSIGN_OR_RETURN(const Duration value, ParseDuration(text));
  return OptionValue(value);
}
Result<OptionValue> Parse(const OptionTable::Bytes* /*kind*/, const std::string& text) {
  ASSIGN_OR_RETURN(const uint64_t value, ParseBytes(text));
  return OptionValue(OptionTable::Bytes{value});
}

std::string Format(bool value) { return value ? "true" : ""; }
std::string Format(int64_t value) { return std::to_string(value); }
std::string Format(double value) { return fmt::format("{}", value); }
std::string Format(const std::string& value) { return value; }
std::string Format(Duration value) { return FormatDuration(value); }
std::string Format(OptionTable::Bytes value) { return FormatBytes(value.value); }
std::string Format(const std::vector<std::string>& value) { return Join(value, ","); }

std::string_view NameOf(const bool* /*kind*/) { return ""; }
std::string_view NameOf(const int64_t* /*kind*/) { return "number"; }
std::string_view NameOf(const double* /*kind*/) { return "number"; }
std::string_view NameOf(const std::string* /*kind*/) { return "text"; }
std::string_view NameOf(const Duration* /*kind*/) { return "duration"; }
std::string_view NameOf(const OptionTable::Bytes* /*kind*/) { return "size"; }
std::string_view NameOf(const std::vector<std::string>* /*kind*/) { return "text"; }

}  // namespace

Result<int64_t> ParseInteger(std::string_view text) {
  int64_t value = 0;
  if (!ParseWhole(text, value)) {
    return NotA("a whole number", text);
  }
  return value;
}

Result<double> ParseNumber(std::string_view text) {
  double value = 0;
  if (!ParseWhole(text, value) || !std::isfinite(value)) {
    return NotA("a number", text);
  }
  return value;
}

Result<uint64_t> ParseBytes(std::string_view text) {
  std::string_view digits = text;
  uint64_t factor = 1;
  for (const ByteUnit& unit : kByteUnits) {
    if (text.ends_with(unit.suffix)) {
      digits.remove_suffix(unit.suffix.size());
      factor = unit.factor;
      break;
    }
  }
  uint64_t value = 0;
  if (!ParseWhole(digits, value) || value > std::numeric_limits<uint64_t>::max() / factor) {
    return NotA("a size such as 512, 64Ki or 10Mi", text);
  }
  return value * factor;
}

std::string FormatBytes(uint64_t bytes) {
  for (const ByteUnit& unit : kByteUnits) {
    if (unit.suffix.ends_with('i') && bytes != 0 && bytes % unit.factor == 0) {
      return std::to_string(bytes / unit.factor) + std::string(unit.suffix);
    }
  }
  return std::to_string(bytes);
}

Result<OptionValue> ParseOptionValue(const OptionTable::Target& target,
                                     const std::vector<std::string>& texts) {
  return std::visit(
      [&](auto* kind) -> Result<OptionValue> {
        if constexpr (std::is_same_v<decltype(kind), std::vector<std::string>*>) {
          return OptionValue(texts);
        } else {
          return Parse(kind, texts.back());
        }
      },
      target);
}

void StoreOptionValue(const OptionTable::Target& target, OptionValue value) {
  std::visit(
      [&](auto* place) {
        *place = std::get<std::remove_pointer_t<decltype(place)>>(std::move(value));
      },
      target);
}

std::string DefaultText(const OptionTable::Target& target) {
  return std::visit([](const auto* value) { return Format(*value); }, target);
}

std::string_view KindName(const OptionTable::Target& target) {
  return std::visit([](const auto* kind) { return NameOf(kind); }, target);
}

bool IsFlag(const OptionTable::Target& target) { return std::holds_alternative<bool*>(target); }

bool IsList(const OptionTable::Target& target) {
  return std::holds_alternative<std::vector<std::string>*>(target);
}

}  // namespace hearth::internal
