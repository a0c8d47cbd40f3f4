#include <string>

#include "cel/collections.h"
#include "cel/internal/function.h"
#include "cel/internal/utf8.h"

namespace hearth::cel::internal {
namespace {

Value Count(size_t count) { return Value::Int(static_cast<int64_t>(count)); }

Value SizeOfString(const Call& call) { return Count(CountCodePoints(call[0].text())); }
Value SizeOfBytes(const Call& call) { return Count(call[0].text().size()); }
Value SizeOfList(const Call& call) { return Count(call[0].list().size()); }
Value SizeOfMap(const Call& call) { return Count(call[0].map().size()); }

Value Contains(const Call& call) {
  return Value::Bool(call[0].text().find(call[1].text()) != std::string_view::npos);
}

Value StartsWith(const Call& call) {
  return Value::Bool(call[0].text().starts_with(call[1].text()));
}

Value EndsWith(const Call& call) { return Value::Bool(call[0].text().ends_with(call[1].text())); }

Value Matches(const Call& call) {
  if (call.regex != nullptr) {
    return Value::Bool(call.regex->Matches(call[0].text()));
  }
  const auto regex = Regex::Compile(call[1].text());
  return regex.ok() ? Value::Bool((*regex)->Matches(call[0].text()))
                    : Value::Error(std::string(regex.status().message()));
}

// A type's type is "type"; anything else's is named by its kind or itself.
Value TypeOf(const Call& call) {
  if (call[0].Is(Kind::kObject)) {
    return Value::Type(KindName(Kind::kObject));
  }
  return Value::Type(KindName(call[0].kind()));
}

Value Dyn(const Call& call) { return call[0]; }

constexpr auto kGlobal = Style::kGlobal;
constexpr auto kMember = Style::kMember;
const Overload kFunctions[] = {
    {"size", kGlobal, {Kind::kString}, SizeOfString},
    {"size", kGlobal, {Kind::kBytes}, SizeOfBytes},
    {"size", kGlobal, {Kind::kList}, SizeOfList},
    {"size", kGlobal, {Kind::kMap}, SizeOfMap},
    {"size", kMember, {Kind::kString}, SizeOfString},
    {"size", kMember, {Kind::kBytes}, SizeOfBytes},
    {"size", kMember, {Kind::kList}, SizeOfList},
    {"size", kMember, {Kind::kMap}, SizeOfMap},
    {"contains", kMember, {Kind::kString, Kind::kString}, Contains, CostRule::kSearch},
    {"startsWith", kMember, {Kind::kString, Kind::kString}, StartsWith, CostRule::kText},
    {"endsWith", kMember, {Kind::kString, Kind::kString}, EndsWith, CostRule::kText},
    {"matches", kMember, {Kind::kString, Kind::kString}, Matches, CostRule::kPattern, 1},
    {"matches", kGlobal, {Kind::kString, Kind::kString}, Matches, CostRule::kPattern, 1},
    {"type", kGlobal, {kAny}, TypeOf},
    {"dyn", kGlobal, {kAny}, Dyn},
};

}  // namespace

Overloads StandardFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal
