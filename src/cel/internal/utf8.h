#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hearth::cel::internal {

// Strings are valid UTF-8 throughout; CEL counts and indexes them in code points.
size_t CountCodePoints(std::string_view text);
std::u32string Decode(std::string_view text);
std::string Encode(std::u32string_view text);
void AppendUtf8(char32_t code_point, std::string& out);
// Bytes before the n-th code point; the whole size when there are fewer.
size_t ByteOffset(std::string_view text, size_t code_points);
// Surrogates and values past the end are none.
bool IsCodePoint(uint32_t value);

}  // namespace hearth::cel::internal
