#pragma once

#include <cstddef>
#include <string_view>

namespace hearth::internal {

// The length in bytes of the UTF-8 character that `text` begins with, 1 to 4; 0 when its first
// bytes are none or it is empty. Overlong forms, surrogates and code points above U+10FFFF are
// none.
size_t Utf8Length(std::string_view text);

}  // namespace hearth::internal
