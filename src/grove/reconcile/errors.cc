#include "grove/reconcile/errors.h"

#include <fmt/format.h>

#include <algorithm>

namespace hearth::grove {

using api::grove::LastError;

LastError ErrorOf(std::string_view code, const Status& status, size_t count) {
  std::string text = fmt::format("[Operation: Sync, Code: {}] message: {}", code, status.message());
  if (count > 1) {
    text += fmt::format(" (and {} more)", count - 1);
  }
  return {std::string(code), std::move(text), ""};
}

void AddError(std::vector<LastError>& errors, std::string_view code, const Status& status,
              size_t count) {
  if (std::none_of(errors.begin(), errors.end(),
                   [&](const LastError& error) { return error.code == code; })) {
    errors.push_back(ErrorOf(code, status, count));
  }
}

}  // namespace hearth::grove
