#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hearth::json::internal {

// Whether `text` is UTF-8; passes over ASCII by many bytes at a time.
bool IsUtf8(std::string_view text);

// Length of the valid character that `text` begins with; 0 when it begins with none.
size_t CharacterLength(std::string_view text);

// The first byte that belongs to no valid character, or text.size().
size_t FindInvalidUtf8(std::string_view text);

// Appends a code point; surrogates and what lies above U+10FFFF become U+FFFD.
void AppendUtf8(std::string& out, uint32_t code_point);

}  // namespace hearth::json::internal
