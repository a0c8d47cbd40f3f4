#include "kube/model/selector.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "kube/model/internal/selector_parser.h"

namespace hearth::kube {
namespace {

using Operator = LabelSelector::Operator;
using Requirement = LabelSelector::Requirement;

// By key, as the API writes selectors, so that equal ones have equal text.
std::vector<Requirement> Sorted(std::vector<Requirement> requirements) {
  std::stable_sort(requirements.begin(), requirements.end(),
                   [](const Requirement& a, const Requirement& b) { return a.key < b.key; });
  return requirements;
}

bool Holds(const Requirement& requirement, json::View labels) {
  const json::View label = labels[requirement.key];
  const auto is_label = [&](const std::string& value) { return label.Equals(value); };
  const auto& values = requirement.values;
  switch (requirement.op) {
    case Operator::kIn:
      return std::any_of(values.begin(), values.end(), is_label);
    case Operator::kNotIn:
      return std::none_of(values.begin(), values.end(), is_label);
    case Operator::kExists:
      return label.IsString();
    case Operator::kDoesNotExist:
      return !label.IsString();
  }
  return false;
}

std::string ToText(const Requirement& requirement) {
  const bool single = requirement.values.size() == 1;
  switch (requirement.op) {
    case Operator::kIn:
      return single ? requirement.key + "=" + requirement.values[0]
                    : requirement.key + " in (" + Join(requirement.values, ",") + ")";
    case Operator::kNotIn:
      return single ? requirement.key + "!=" + requirement.values[0]
                    : requirement.key + " notin (" + Join(requirement.values, ",") + ")";
    case Operator::kExists:
      return requirement.key;
    case Operator::kDoesNotExist:
      return "!" + requirement.key;
  }
  return "";
}

Result<Operator> OperatorNamed(std::string_view name) {
  constexpr std::pair<std::string_view, Operator> kNames[] = {
      {"In", Operator::kIn},
      {"NotIn", Operator::kNotIn},
      {"Exists", Operator::kExists},
      {"DoesNotExist", Operator::kDoesNotExist},
  };
  for (const auto& [known, op] : kNames) {
    if (known == name) {
      return op;
    }
  }
  return InvalidError("unknown selector operator \"" + Excerpt(name, 40) +
                      "\"; known are In, NotIn, Exists and DoesNotExist");
}

Result<std::string> StringOf(json::View view, std::string_view what) {
  if (auto text = view.String()) {
    return *std::move(text);
  }
  return InvalidError(std::string(what) + " of a label selector must be a string");
}

Result<Requirement> FromExpression(json::View expression) {
  Requirement requirement;
  ASSIGN_OR_RETURN(requirement.key, StringOf(expression["key"], "a key"));
  ASSIGN_OR_RETURN(requirement.op, OperatorNamed(expression["operator"].StringOr("")));
  for (const json::View item : expression["values"].items()) {
    ASSIGN_OR_RETURN(std::string value, StringOf(item, "a value"));
    requirement.values.push_back(std::move(value));
  }
  return internal::Checked(std::move(requirement));
}

}  // namespace

LabelSelector LabelSelector::Equals(std::string_view key, std::string_view value) {
  return LabelSelector().And({std::string(key), Operator::kIn, {std::string(value)}});
}

Result<LabelSelector> LabelSelector::Parse(std::string_view text) {
  LabelSelector selector;
  ASSIGN_OR_RETURN(auto requirements, internal::SelectorParser(text).Parse());
  selector.requirements_ = Sorted(std::move(requirements));
  return selector;
}

Result<LabelSelector> LabelSelector::From(json::View selector) {
  if (!selector.IsObject()) {
    return InvalidError("a label selector must be an object; {} selects everything");
  }
  std::vector<Requirement> requirements;
  for (const auto& label : selector["matchLabels"].members()) {
    ASSIGN_OR_RETURN(std::string value, StringOf(label.value, "a value"));
    ASSIGN_OR_RETURN(auto checked,
                     internal::Checked({label.Name(), Operator::kIn, {std::move(value)}}));
    requirements.push_back(std::move(checked));
  }
  for (const json::View expression : selector["matchExpressions"].items()) {
    ASSIGN_OR_RETURN(auto requirement, FromExpression(expression));
    requirements.push_back(std::move(requirement));
  }
  LabelSelector result;
  result.requirements_ = Sorted(std::move(requirements));
  return result;
}

LabelSelector LabelSelector::And(Requirement requirement) const {
  std::sort(requirement.values.begin(), requirement.values.end());
  LabelSelector result = *this;
  result.requirements_.push_back(std::move(requirement));
  result.requirements_ = Sorted(std::move(result.requirements_));
  return result;
}

bool LabelSelector::Matches(json::View labels) const {
  return std::all_of(requirements_.begin(), requirements_.end(),
                     [&](const Requirement& requirement) { return Holds(requirement, labels); });
}

std::string LabelSelector::ToString() const {
  std::vector<std::string> parts;
  parts.reserve(requirements_.size());
  for (const Requirement& requirement : requirements_) {
    parts.push_back(ToText(requirement));
  }
  return Join(parts, ",");
}

}  // namespace hearth::kube
