#include "dynamo/view/internal/reading.h"

#include <fmt/format.h>

namespace hearth::dynamo::view {

using json::View;

View ConditionOf(View object, std::string_view type) {
  for (const View condition : object["status"]["conditions"].items()) {
    if (condition["type"].Equals(type)) {
      return condition;
    }
  }
  return {};
}

bool IsTrue(View condition) { return condition["status"].Equals("True"); }
bool IsFalse(View condition) { return condition["status"].Equals("False"); }

std::string Told(View condition) {
  return ToText(Problem{condition["reason"].StringOr(""), condition["message"].StringOr("")});
}

bool IsDeleting(View object) { return object["metadata"]["deletionTimestamp"].exists(); }

std::string NameOf(View object) { return object["metadata"]["name"].StringOr(""); }

std::string LabelOf(View object, std::string_view label) {
  return object["metadata"]["labels"][label].StringOr("");
}

std::string AnnotationOf(View object, std::string_view annotation) {
  return object["metadata"]["annotations"][annotation].StringOr("");
}

std::string Counted(int64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace hearth::dynamo::view
