#pragma once

#include <string_view>

namespace hearth::schema {

// Whether a string has a format, as the API server sees it, which is not always as the RFC does.
using FormatCheck = bool (*)(std::string_view text);

// The check behind a format's name; dashes do not count, so date-time is datetime. Null for a name
// that Kubernetes 1.34 does not know (int32, int64, double, ...): those ask nothing of a value.
FormatCheck FindFormat(std::string_view name);

}  // namespace hearth::schema
