#pragma once

#include <string>
#include <string_view>

namespace hearth::api::conversion::internal {

// What takes most of a text that WriteEnvelope wrote, "spec.services.worker.annotations.note", for
// a message: a field that takes half of what is above it, and so on down. `part` names the member
// that holds what is added, and begins the path.
std::string LargestKept(std::string_view envelope, const std::string& part);

}  // namespace hearth::api::conversion::internal
