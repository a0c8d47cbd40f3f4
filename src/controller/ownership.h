#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "json/value.h"
#include "json/view.h"

namespace hearth::controller {

// Server-side apply takes a field away only when nobody else owns it. Fields of an object that was
// made with plain writes, by us or by who was there before us, belong to those writes and would
// stay for ever.
//
// What metadata.managedFields must be so that everything that the managers `from` own by plain
// writes (operation Update, of this version and sub-resource) belongs to `to` by apply. Nothing
// when they own nothing there.
std::optional<json::Value> MoveOwnership(json::View managed_fields, std::string_view api_version,
                                         std::string_view subresource, std::string_view to,
                                         std::span<const std::string_view> from);

}  // namespace hearth::controller
