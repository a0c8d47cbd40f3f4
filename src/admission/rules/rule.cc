#include "admission/rules/rule.h"

#include <algorithm>

namespace hearth::admission {

void Findings::Add(const Rule& rule, schema::FieldError error) {
  if (errors_.size() < schema::ErrorList::kLimit) {
    errors_.push_back({std::move(error), &rule});
  }
}

void Findings::Warn(Warning warning) {
  if (warnings_.size() < schema::ErrorList::kLimit &&
      std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end()) {
    warnings_.push_back(std::move(warning));
  }
}

std::string Warning::ToString() const { return path.empty() ? text : path + ": " + text; }

std::vector<std::string> Texts(const std::vector<Warning>& warnings) {
  std::vector<std::string> texts;
  texts.reserve(warnings.size());
  for (const Warning& warning : warnings) {
    texts.push_back(warning.ToString());
  }
  return texts;
}

}  // namespace hearth::admission
