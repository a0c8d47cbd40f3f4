#pragma once

#include <optional>
#include <string_view>

#include "api/conversion/internal/arena.h"

namespace hearth::api::conversion::internal {

// Items are looked for one by one; longer lists are taken as a whole.
inline constexpr size_t kMaxMatchedItems = 256;

// The member that tells the items of both lists apart ("name", else the path of a mount); empty
// when there is none, or two items of a list have the same.
std::string_view CommonKey(const Tree& a, const Tree& b);

// The position of the item whose `key` is `value`.
std::optional<size_t> FindItem(const Tree& list, std::string_view key, std::string_view value);
// For lists of any length, that foreign bytes ask for any number of times: spends what it looks at.
std::optional<size_t> FindItem(const Tree& list, std::string_view key, std::string_view value,
                               Arena& arena);

}  // namespace hearth::api::conversion::internal
