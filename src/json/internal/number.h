#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Number tokens as RFC 8259 has them.
namespace hearth::json::internal {

// The place behind the number that begins at p, or null when none begins there. What follows is not
// looked at.
const char* NumberEnd(const char* p, const char* end);

// Only for a token without fraction and exponent that fits.
std::optional<int64_t> TokenToInt(std::string_view token);
// Nothing when it is out of a double's range.
std::optional<double> TokenToDouble(std::string_view token);

void AppendInt(std::string& out, int64_t value);
void AppendUint(std::string& out, uint64_t value);
// The shortest text that reads back the same; null when not finite.
void AppendDouble(std::string& out, double value);

}  // namespace hearth::json::internal
