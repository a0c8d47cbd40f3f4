#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace hearth::dynamo {

// Why something is not as it should be.
struct Problem {
  std::string reason;  // CamelCase
  std::string message;
};

// "Reason: message"
std::string ToText(const Problem& problem);
// [{reason, message}]
json::Value ToJson(const std::vector<Problem>& problems);

}  // namespace hearth::dynamo
