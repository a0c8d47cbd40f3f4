#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"

namespace hearth::internal {

// Appends `field` as the lines of `format` hold it, separator in front. Bytes that are not UTF-8
// become U+FFFD and line breaks are escaped, so a value can neither break a line nor the JSON of
// it.
void AppendLogField(LogFormat format, const LogField& field, std::string& out);

// A whole line, newline included. `fields` come from AppendLogField.
std::string LogLine(LogFormat format, WallTime time, LogLevel level, std::string_view message,
                    std::string_view fields);

}  // namespace hearth::internal
