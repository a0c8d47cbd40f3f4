#pragma once

#include <string>
#include <string_view>

namespace hearth::http {

// What a server does that sends gzip.
std::string Gzip(std::string_view plain);

}  // namespace hearth::http
