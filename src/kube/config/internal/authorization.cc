#include "kube/config/internal/authorization.h"

#include <algorithm>

namespace hearth::kube::internal {

Result<std::string> BearerHeader(std::string_view token) {
  const bool printable =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (token.empty() || !printable) {
    return InvalidError(token.empty() ? "the token is empty"
                                      : "the token holds characters that no token can have");
  }
  return "Bearer " + std::string(token);
}

}  // namespace hearth::kube::internal
