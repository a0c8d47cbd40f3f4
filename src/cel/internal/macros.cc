#include "cel/internal/macros.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace hearth::cel::internal {
namespace {

struct Macro {
  std::string_view name;
  size_t args;       // as written
  size_t variables;  // the first of them
  std::string_view meaning;
};

constexpr std::array kMacros = {
    Macro{"all", 2, 1, "all"},
    Macro{"exists", 2, 1, "exists"},
    Macro{"exists_one", 2, 1, "exists_one"},
    Macro{"existsOne", 2, 1, "exists_one"},
    Macro{"map", 2, 1, "map"},
    Macro{"map", 3, 1, "map"},
    Macro{"filter", 2, 1, "filter"},
    Macro{"sortBy", 2, 1, "sortBy"},
    Macro{"optMap", 2, 1, "optMap"},
    Macro{"optFlatMap", 2, 1, "optFlatMap"},
    Macro{"all", 3, 2, "all"},
    Macro{"exists", 3, 2, "exists"},
    Macro{"existsOne", 3, 2, "exists_one"},
    Macro{"exists_one", 3, 2, "exists_one"},
    Macro{"transformList", 3, 2, "map"},
    Macro{"transformList", 4, 2, "map"},
    Macro{"transformMap", 3, 2, "transformMap"},
    Macro{"transformMap", 4, 2, "transformMap"},
    Macro{"transformMapEntry", 3, 2, "transformMapEntry"},
    Macro{"transformMapEntry", 4, 2, "transformMapEntry"},
};

const Macro* FindMacro(const Expr& call) {
  for (const Macro& macro : kMacros) {
    if (macro.name == call.name && macro.args == call.args.size()) {
      return &macro;
    }
  }
  return nullptr;
}

std::string RecogniseHas(Expr& call) {
  if (call.args[0]->kind != ExprKind::kSelect) {
    return "invalid argument to has() macro";
  }
  call.kind = ExprKind::kMacro;
  call.target = std::move(call.args[0]);
  call.args.clear();
  return "";
}

std::string TakeVariables(Expr& call, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const Expr& argument = *call.args[i];
    if (argument.kind != ExprKind::kName || argument.name.front() == '.') {
      return "argument must be a simple name";
    }
    if (argument.name == "__result__") {
      return "iteration variable overwrites accumulator variable";
    }
    call.variables.push_back(argument.name);
  }
  if (count == 2 && call.variables[0] == call.variables[1]) {
    return fmt::format("duplicate variable name: {}", call.variables[0]);
  }
  call.args.erase(call.args.begin(), call.args.begin() + static_cast<ptrdiff_t>(count));
  return "";
}

}  // namespace

std::string RecogniseMacro(Expr& call) {
  if (call.target == nullptr) {
    return call.name == "has" && call.args.size() == 1 ? RecogniseHas(call) : "";
  }
  const Macro* macro = FindMacro(call);
  if (macro == nullptr) {
    return "";
  }
  call.kind = ExprKind::kMacro;
  call.name = macro->meaning;
  return TakeVariables(call, macro->variables);
}

}  // namespace hearth::cel::internal
