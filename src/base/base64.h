#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace hearth {

// Standard alphabet with padding, as Kubernetes and PEM use it. Decoding takes line breaks, refuses
// anything else.
std::string EncodeBase64(std::string_view bytes);
Result<std::string> DecodeBase64(std::string_view text);

}  // namespace hearth
