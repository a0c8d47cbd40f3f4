// allOf, anyOf, oneOf and not. Findings within alternatives are never forgotten on their own when
// an object is updated, only together with the value they stand at, as on the server.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "schema/internal/go_text.h"
#include "schema/internal/value_walk.h"

namespace hearth::schema::internal {
namespace {

using json::Value;

struct Outcome {
  ErrorList errors;
  int64_t checks = 0;
};

// The server tells these about no field in particular and names it in the text.
void Add(const FieldPath& path, std::string_view what, ErrorList& errors) {
  errors.Add(
      {ErrorType::kInvalid, "<nil>", "\"\"", fmt::format("{} {}", GoQuote(path.ToDotted()), what)});
}

int64_t Merge(std::optional<Outcome> outcome, ErrorList& errors) {
  if (!outcome) {
    return 0;
  }
  errors.AddAll(std::move(outcome->errors));
  return outcome->checks;
}

}  // namespace

int64_t ValueWalk::CheckAlternatives(const Node& node, const Value& value, const FieldPath& path,
                                     ErrorList& errors) const {
  int64_t checks = CheckAnyOf(node, value, path, errors);
  checks += CheckOneOf(node, value, path, errors);
  checks += CheckAllOf(node, value, path, errors);
  if (node.negation != nullptr) {
    ErrorList found;
    Check(*node.negation, value, nullptr, path, found);
    if (found.empty()) {
      Add(path, "must not validate the schema (not)", errors);
    }
  }
  return checks;
}

int64_t ValueWalk::CheckAnyOf(const Node& node, const Value& value, const FieldPath& path,
                              ErrorList& errors) const {
  if (node.any_of.empty()) {
    return 0;
  }
  std::optional<Outcome> best;
  for (const auto& alternative : node.any_of) {
    Outcome outcome;
    outcome.checks = Check(*alternative, value, nullptr, path, outcome.errors);
    if (outcome.errors.empty()) {
      return outcome.checks;
    }
    if (!best || outcome.checks > best->checks) {
      best = std::move(outcome);
    }
  }
  Add(path, "must validate at least one schema (anyOf)", errors);
  return Merge(std::move(best), errors);
}

int64_t ValueWalk::CheckOneOf(const Node& node, const Value& value, const FieldPath& path,
                              ErrorList& errors) const {
  if (node.one_of.empty()) {
    return 0;
  }
  std::optional<Outcome> best;
  int64_t fitting_checks = 0;
  int fitting = 0;
  for (const auto& alternative : node.one_of) {
    Outcome outcome;
    outcome.checks = Check(*alternative, value, nullptr, path, outcome.errors);
    if (outcome.errors.empty()) {
      fitting_checks = ++fitting == 1 ? outcome.checks : fitting_checks;
      best.reset();
    } else if (fitting == 0 && (!best || outcome.checks > best->checks)) {
      best = std::move(outcome);
    }
  }
  if (fitting == 1) {
    return fitting_checks;
  }
  Add(path,
      "must validate one and only one schema (oneOf). " +
          (fitting == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", fitting)),
      errors);
  return Merge(std::move(best), errors);
}

int64_t ValueWalk::CheckAllOf(const Node& node, const Value& value, const FieldPath& path,
                              ErrorList& errors) const {
  int64_t checks = 0;
  size_t fitting = 0;
  for (const auto& alternative : node.all_of) {
    const ErrorList::Mark before = errors.mark();
    checks += Check(*alternative, value, nullptr, path, errors);
    fitting += errors.Since(before) ? 0 : 1;
  }
  if (fitting != node.all_of.size()) {
    Add(path,
        fitting == 0 ? "must validate all the schemas (allOf). None validated"
                     : "must validate all the schemas (allOf)",
        errors);
  }
  return checks;
}

}  // namespace hearth::schema::internal
