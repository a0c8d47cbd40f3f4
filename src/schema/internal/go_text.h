#pragma once

#include <string>
#include <string_view>

#include "schema/internal/number.h"

namespace hearth::schema::internal {

// A string in double quotes as Go's %q writes it.
std::string GoQuote(std::string_view text);
// A number as Go's %v writes it: 1, 1.5, 1e+06.
std::string GoText(double value);
std::string GoText(const Number& number);
// A number as Go writes it into JSON, where 1.0 is 1.
std::string JsonText(const Number& number);

}  // namespace hearth::schema::internal
