#include "cel/testing/cases.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cel/collections.h"
#include "cel/internal/text.h"
#include "cel/json_value.h"
#include "cel/program.h"
#include "json/parse.h"

namespace hearth::cel {
namespace {

std::string ShowDouble(double value) {
  const std::string text = internal::DoubleText(value);
  return text.find_first_of(".eIN") == std::string::npos ? text + ".0" : text;
}

std::string ShowList(const List& list) {
  std::string out;
  for (size_t i = 0; i < list.size(); ++i) {
    out += (i == 0 ? "" : ",") + Show(list.at(i));
  }
  return "[" + out + "]";
}

std::string ShowMap(const Map& map) {
  std::string out;
  for (const Value& key : map.Keys()) {
    out += (out.empty() ? "" : ",") + Show(key) + ":" + Show(map.Find(key).value());
  }
  return "{" + out + "}";
}

std::string Failure(const Status& status) { return "!" + std::string(status.message()); }

}  // namespace

std::string Show(const Value& value) {
  switch (value.kind()) {
    case Kind::kUint:
      return internal::TextOf(value) + "u";
    case Kind::kDouble:
      return ShowDouble(value.real());
    case Kind::kString:
      return json::Value(value.text()).Write();
    case Kind::kBytes:
      return "b" + internal::Quoted(value.text());
    case Kind::kList:
      return ShowList(value.list());
    case Kind::kMap:
      return ShowMap(value.map());
    case Kind::kDuration:
      return "duration(" + internal::TextOf(value) + ")";
    case Kind::kTimestamp:
      return "timestamp(" + internal::TextOf(value) + ")";
    case Kind::kType:
      return "type(" + internal::TextOf(value) + ")";
    case Kind::kOptional:
      return value.optional() == nullptr ? "none" : "optional(" + Show(*value.optional()) + ")";
    default:
      return internal::TextOf(value);
  }
}

std::string Outcome(const Case& row, const Environment& settings) {
  const json::Value variables = json::ParseValue(row.variables).value();
  Environment environment = settings;
  Activation activation;
  for (const auto& [name, value] : variables.members()) {
    environment.variables.push_back({name, std::nullopt});
    activation.push_back(FromJson(value));
  }
  const auto program = Compile(row.expression, environment);
  if (!program.ok()) {
    return Failure(program.status());
  }
  CostBudget budget;
  const auto value = (*program)->Evaluate(activation, budget);
  return value.ok() ? Show(*value) : Failure(value.status());
}

void ExpectAll(const std::vector<Case>& rows) {
  for (const Case& row : rows) {
    const std::string outcome = Outcome(row);
    const bool wants_failure = row.expected.starts_with('!');
    const bool as_expected =
        wants_failure
            ? outcome.starts_with('!') && outcome.find(row.expected.substr(1)) != std::string::npos
            : outcome == row.expected;
    EXPECT_TRUE(as_expected) << row.expression << " with " << row.variables << "\n  gives "
                             << outcome << "\n  not   " << row.expected;
  }
}

}  // namespace hearth::cel
