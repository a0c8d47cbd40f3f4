#include "cel/internal/function.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace hearth::cel::internal {
namespace {

using Index = std::multimap<std::pair<std::string_view, Style>, const Overload*>;

const Index& AllFunctions() {
  static const Index index = [] {
    Index made;
    for (const Overloads table :
         {StandardFunctions(), ConversionFunctions(), TimeFunctions(), OptionalFunctions(),
          StringFunctions(), FormatStringFunctions(), ListFunctions(), KubernetesListFunctions(),
          SetFunctions(), RegexFunctions(), UrlFunctions(), QuantityFunctions(), IpFunctions(),
          CidrFunctions(), NamedFormatFunctions(), SemverFunctions()}) {
      for (const Overload& overload : table) {
        made.emplace(std::pair(overload.name, overload.style), &overload);
      }
    }
    return made;
  }();
  return index;
}

}  // namespace

bool Accepts(const Overload& overload, std::span<const Value> args) {
  if (overload.kinds.size() != args.size()) {
    return false;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (overload.kinds[i] != kAny && overload.kinds[i] != args[i].kind()) {
      return false;
    }
  }
  return true;
}

std::vector<const Overload*> FindOverloads(std::string_view name, Style style) {
  std::vector<const Overload*> found;
  const auto [first, last] = AllFunctions().equal_range({name, style});
  for (auto it = first; it != last; ++it) {
    found.push_back(it->second);
  }
  return found;
}

std::string NoSuchOverload(std::string_view name, std::span<const Value> args) {
  std::string kinds;
  for (const Value& argument : args) {
    kinds += kinds.empty() ? "" : ", ";
    kinds += argument.type_name();
  }
  return fmt::format("no such overload: {}({})", name, kinds);
}

}  // namespace hearth::cel::internal
