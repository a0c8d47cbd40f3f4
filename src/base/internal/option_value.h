#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/options.h"
#include "base/result.h"

namespace hearth::internal {

// A parsed value of each kind that an option can have.
using OptionValue = std::variant<bool, int64_t, double, std::string, Duration, OptionTable::Bytes,
                                 std::vector<std::string>>;

Result<int64_t> ParseInteger(std::string_view text);
Result<double> ParseNumber(std::string_view text);
Result<uint64_t> ParseBytes(std::string_view text);  // 512, 64Ki, 10Mi, 2G
std::string FormatBytes(uint64_t bytes);             // with the largest binary unit that divides it

// `texts` are the values as given, at least one; only a list takes all of them, the others the
// last.
Result<OptionValue> ParseOptionValue(const OptionTable::Target& target,
                                     const std::vector<std::string>& texts);
void StoreOptionValue(const OptionTable::Target& target, OptionValue value);

// For help and reference. Empty when the default says nothing: false, an empty string, an empty
// list.
std::string DefaultText(const OptionTable::Target& target);
std::string_view KindName(
    const OptionTable::Target& target);  // number, duration, ...; empty for a flag
bool IsFlag(const OptionTable::Target& target);
bool IsList(const OptionTable::Target& target);

}  // namespace hearth::internal
