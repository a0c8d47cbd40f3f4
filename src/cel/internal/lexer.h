#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "cel/internal/token.h"

namespace hearth::cel::internal {

// The expression's tokens, kEnd last; white space and // comments are left out. kInvalid with
// line:column for what is no token.
Result<std::vector<Token>> Tokenize(std::string_view expression);

// What a string or bytes literal stands for; `written` includes prefix and quotes. kInvalid with
// the reason.
Result<Value> ReadQuoted(std::string_view written);

}  // namespace hearth::cel::internal
