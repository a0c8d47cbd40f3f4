#include "cel/time_text.h"

#include <fmt/format.h>

#include "base/duration.h"
#include "cel/internal/time_math.h"

namespace hearth::cel {

Value TimestampOf(std::string_view text) { return internal::ParseTimestamp(text); }

Value DurationOf(std::string_view text) {
  const auto duration = ParseDuration(text);
  return duration.ok() ? Value::Duration(*duration)
                       : Value::Error(fmt::format("invalid duration \"{}\"", text));
}

}  // namespace hearth::cel
