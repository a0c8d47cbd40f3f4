#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Escapes inside JSON strings. `raw` is always what stands between the quotes.
namespace hearth::json::internal {

// Length of the escape that `raw` begins with (at its backslash): 2, 6, or 12 for a surrogate pair.
// 0 when it is not a valid one: an unknown letter, wrong hex digits, half a surrogate pair, or cut
// off.
size_t EscapeLength(std::string_view raw);

// Appends the characters `raw` stands for. Escapes that are not valid become U+FFFD.
void AppendUnescaped(std::string& out, std::string_view raw);

// Whether `raw` stands for exactly `text`. Allocates nothing.
bool UnescapedEquals(std::string_view raw, std::string_view text);

}  // namespace hearth::json::internal
