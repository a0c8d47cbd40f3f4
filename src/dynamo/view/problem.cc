#include "dynamo/view/problem.h"

namespace hearth::dynamo {

std::string ToText(const Problem& problem) {
  if (problem.reason.empty() || problem.message.empty()) {
    return problem.reason + problem.message;
  }
  return problem.reason + ": " + problem.message;
}

json::Value ToJson(const std::vector<Problem>& problems) {
  json::Value array = json::Value::Array();
  for (const Problem& problem : problems) {
    array.Append(json::Value::Object({{"reason", problem.reason}, {"message", problem.message}}));
  }
  return array;
}

}  // namespace hearth::dynamo
