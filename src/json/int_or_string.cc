#include "json/int_or_string.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "base/strings.h"

namespace hearth::json {
namespace {

// The number in front of "%".
std::optional<int64_t> ParsePercent(std::string_view text) {
  if (text.empty() || text.back() != '%') {
    return std::nullopt;
  }
  text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);  // Go takes it, from_chars does not
  }
  int64_t percent = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, percent);
  return read.ec == std::errc() && read.ptr == end ? std::optional(percent) : std::nullopt;
}

__int128 DivideRounding(__int128 dividend, int divisor, bool round_up) {
  const __int128 quotient = dividend / divisor;  // towards zero
  const __int128 rest = dividend % divisor;
  if (round_up) {
    return rest > 0 ? quotient + 1 : quotient;
  }
  return rest < 0 ? quotient - 1 : quotient;
}

}  // namespace

Result<IntOrString> IntOrString::From(View view) {
  if (const std::optional<int64_t> number = view.Int()) {
    return IntOrString{*number};
  }
  if (std::optional<std::string> text = view.String()) {
    return IntOrString{*std::move(text)};
  }
  return InvalidError(fmt::format("expected an integer or a string, found {} {}",
                                  KindName(view.kind()), Excerpt(view.raw(), 64)));
}

Value IntOrString::ToValue() const {
  return std::visit([](const auto& held) { return Value(held); }, value);
}

Result<int64_t> IntOrString::Scaled(int64_t total, bool round_up) const {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return *number;
  }
  const std::string& text = std::get<std::string>(value);
  const std::optional<int64_t> percent = ParsePercent(text);
  if (!percent) {
    return InvalidError(fmt::format("\"{}\" is neither an integer nor a percentage such as \"25%\"",
                                    Excerpt(text, 64)));
  }
  const __int128 scaled = DivideRounding(static_cast<__int128>(*percent) * total, 100, round_up);
  if (scaled > std::numeric_limits<int64_t>::max() ||
      scaled < std::numeric_limits<int64_t>::min()) {
    return InvalidError(fmt::format("\"{}\" of {} is out of range", Excerpt(text, 64), total));
  }
  return static_cast<int64_t>(scaled);
}

}  // namespace hearth::json
