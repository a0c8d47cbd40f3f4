#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hearth {

// "" gives one empty piece.
std::vector<std::string_view> Split(std::string_view text, char separator);
std::string Join(const std::vector<std::string>& parts, std::string_view separator);
std::string_view Trim(std::string_view text);                  // spaces, tabs, line ends
bool EqualIgnoreCase(std::string_view a, std::string_view b);  // ASCII
bool ValidUtf8(std::string_view text);
// At most `limit` bytes for a message, cut at a character, with "..." (counted) when cut; control
// characters and bytes that are not UTF-8 become '?'.
std::string Excerpt(std::string_view text, size_t limit);

}  // namespace hearth
