#include <fmt/format.h>

#include <string>
#include <vector>

#include "cel/collections.h"
#include "cel/internal/function.h"

namespace hearth::cel::internal {
namespace {

// Calls `use` with the pattern, compiled now unless it is constant.
template <typename Use>
Value WithPattern(const Call& call, Use use) {
  if (call.regex != nullptr) {
    return use(*call.regex);
  }
  const auto regex = Regex::Compile(call[1].text());
  return regex.ok() ? use(**regex)
                    : Value::Error(fmt::format("Illegal regex: {}", regex.status().message()));
}

Value Find(const Call& call) {
  return WithPattern(call, [&](const Regex& regex) {
    return Value::String(std::string(regex.Find(call[0].text())));
  });
}

Value FindAll(const Call& call) {
  const int64_t limit = call.args.size() == 3 ? call[2].integer() : -1;
  return WithPattern(call, [&](const Regex& regex) {
    std::vector<Value> found;
    for (const std::string_view match : regex.FindAll(call[0].text(), limit)) {
      found.push_back(Value::String(std::string(match)));
    }
    return MakeList(std::move(found));
  });
}

constexpr auto kMember = Style::kMember;
constexpr auto kText = Kind::kString;
const Overload kFunctions[] = {
    {"find", kMember, {kText, kText}, Find, CostRule::kPattern, 1},
    {"findAll", kMember, {kText, kText}, FindAll, CostRule::kPattern, 1},
    {"findAll", kMember, {kText, kText, Kind::kInt}, FindAll, CostRule::kPattern, 1},
};

}  // namespace

Overloads RegexFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal
