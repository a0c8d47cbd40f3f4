#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/view.h"

namespace hearth::kube {

// A label selector: "app=web,tier in (a,b),!canary", or from a LabelSelector object. Empty selects
// everything.
class LabelSelector {
 public:
  enum class Operator { kIn, kNotIn, kExists, kDoesNotExist };
  struct Requirement {
    std::string key;
    Operator op;
    std::vector<std::string> values;  // sorted
    friend bool operator==(const Requirement&, const Requirement&) = default;
  };

  LabelSelector() = default;
  static LabelSelector Equals(std::string_view key, std::string_view value);
  static Result<LabelSelector> Parse(std::string_view text);
  // matchLabels and matchExpressions.
  static Result<LabelSelector> From(json::View selector);

  LabelSelector And(Requirement requirement) const;
  bool Matches(json::View labels) const;
  bool empty() const { return requirements_.empty(); }
  std::string ToString() const;  // as the API takes it
  const std::vector<Requirement>& requirements() const { return requirements_; }

 private:
  std::vector<Requirement> requirements_;
};

}  // namespace hearth::kube
