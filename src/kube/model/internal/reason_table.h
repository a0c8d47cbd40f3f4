#pragma once

#include <string_view>

#include "base/status.h"

namespace hearth::kube::internal {

// What the API server's reasons mean to us. kInternal for one we do not know and that came with no
// HTTP code.
Code CodeForReason(std::string_view reason, int http_code);
Code CodeForHttp(int http_code);
// The reason the API server would give; empty when it has none.
std::string_view ReasonForHttp(int http_code);

// For answers we give: 0 when the reason is not the API server's.
int HttpForReason(std::string_view reason);
int HttpForCode(Code code);

}  // namespace hearth::kube::internal
