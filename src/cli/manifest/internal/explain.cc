#include "cli/manifest/internal/explain.h"

#include "base/nearest_name.h"
#include "base/strings.h"

namespace hearth::manifest::internal {
namespace {

constexpr size_t kMostNames = 40;

std::vector<std::string> FieldNames(const SchemaPlace& place) {
  std::vector<std::string> names;
  for (const schema::Property& property : place.nodes.back()->properties) {
    names.push_back(property.name);
  }
  return names;
}

void AddLine(std::string& text, std::string_view line) {
  if (!line.empty()) {
    text.append(text.empty() ? "" : "\n").append(line);
  }
}

// A rule may stand on a node above the field that it names.
const schema::Rule* RuleOf(const schema::FieldError& error, const SchemaPlace& place) {
  for (auto node = place.nodes.rbegin(); node != place.nodes.rend(); ++node) {
    for (const schema::Rule& rule : (*node)->rules) {
      if (rule.message == error.detail || "failed rule: " + rule.rule == error.detail) {
        return &rule;
      }
    }
  }
  return nullptr;
}

}  // namespace

std::string Explain(const admission::Finding& finding, const SchemaPlace& place) {
  std::string text;
  if (finding.rule != nullptr) {
    return finding.rule->purpose;
  }
  if (const schema::Rule* rule = RuleOf(finding.error, place)) {
    AddLine(text, "The schema has the rule: " + rule->rule);
  }
  if (place.complete) {
    AddLine(text, place.nodes.back()->description);
  }
  return text;
}

std::string ExplainUnknown(const SchemaPlace& place) {
  std::vector<std::string> names = FieldNames(place);
  if (names.empty()) {
    return "";
  }
  const bool cut = names.size() > kMostNames;
  names.resize(std::min(names.size(), kMostNames));
  return "A server would drop it. Fields there are: " + Join(names, ", ") + (cut ? ", ..." : "");
}

std::string SuggestField(std::string_view unknown, const SchemaPlace& place) {
  return NearestName(unknown, FieldNames(place));
}

}  // namespace hearth::manifest::internal
