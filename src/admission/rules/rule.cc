#include "admission/rules/rule.h"

#include <algorithm>

namespace hearth::admission {

void Findings::Add(const Rule& rule, schema::FieldError error) {
  if (errors_.size() < schema::ErrorList::kLimit) {
    errors_.push_back({std::move(error), &rule});
  }
}

void Findings::Warn(std::string text) {
  if (warnings_.size() < schema::ErrorList::kLimit &&
      std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end()) {
    warnings_.push_back(std::move(text));
  }
}

}  // namespace hearth::admission
