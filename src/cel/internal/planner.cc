#include "cel/internal/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "cel/collections.h"
#include "cel/internal/call_cost.h"
#include "cel/internal/call_nodes.h"
#include "cel/internal/macro_nodes.h"
#include "cel/internal/position.h"
#include "cel/internal/static_check.h"

namespace hearth::cel::internal {
namespace {

// Work at compile time is bounded, too.
constexpr uint64_t kFoldingLimit = 100'000;
constexpr std::array<std::string_view, 10> kConversions = {
    "bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"};

struct Planned {
  NodePtr node;
  KnownKind kind;
};

// What cel-go calls an attribute: a path of accesses, counted once at its root.
bool IsPath(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kName:
    case ExprKind::kSelect:
    case ExprKind::kOptSelect:
    case ExprKind::kIndex:
    case ExprKind::kOptIndex:
    case ExprKind::kTernary:
      return true;
    default:
      return false;
  }
}

// "a.b.c" of a plain path, "" of anything else.
std::string QualifiedName(const Expr& expr) {
  if (expr.kind == ExprKind::kName) {
    return expr.name;
  }
  if (expr.kind != ExprKind::kSelect) {
    return "";
  }
  const std::string prefix = QualifiedName(*expr.target);
  return prefix.empty() ? "" : prefix + "." + expr.name;
}

std::string_view WithoutDot(std::string_view name) {
  return name.substr(name.starts_with('.') ? 1 : 0);
}

bool IsSimple(const Value& value) {
  return value.Is(Kind::kBool) || value.IsNumber() || value.Is(Kind::kString);
}

class Planner {
 public:
  Planner(std::string_view text, const Environment& environment)
      : text_(text), environment_(environment) {}

  Result<Plan> Run(const Expr& tree) {
    ASSIGN_OR_RETURN(Planned root, PlanExpr(tree));
    return Plan{std::move(root.node), slots_, root.kind};
  }

 private:
  Status Fail(const Expr& at, std::string_view message) const {
    return FailureAt(text_, at.offset, message);
  }

  // `root_cost` is 0 where the root of a path is not counted.
  Result<Planned> PlanExpr(const Expr& expr, uint64_t root_cost = 1) {
    switch (expr.kind) {
      case ExprKind::kLiteral:
        return Planned{MakeConstant(expr.literal), expr.literal.kind()};
      case ExprKind::kName:
        return PlanName(expr, root_cost);
      case ExprKind::kSelect:
      case ExprKind::kOptSelect:
        return PlanSelect(expr, root_cost);
      case ExprKind::kIndex:
      case ExprKind::kOptIndex:
        return PlanIndex(expr, root_cost);
      case ExprKind::kCall:
        return PlanCall(expr);
      case ExprKind::kUnary:
        return PlanUnary(expr);
      case ExprKind::kBinary:
        return PlanBinary(expr);
      case ExprKind::kAnd:
      case ExprKind::kOr:
        return PlanLogical(expr);
      case ExprKind::kTernary:
        return PlanTernary(expr);
      case ExprKind::kList:
        return PlanList(expr);
      case ExprKind::kMap:
        return PlanMap(expr);
      case ExprKind::kMacro:
        return expr.name == "has" ? PlanHas(expr) : PlanMacro(expr);
    }
    return Fail(expr, "internal error: unknown expression");
  }

  Result<Planned> PlanName(const Expr& expr, uint64_t root_cost) {
    const std::string_view name = WithoutDot(expr.name);
    const bool global = expr.name.starts_with('.');
    for (size_t slot = scope_.size(); !global && slot-- > 0;) {
      if (scope_[slot] == name) {
        return Planned{MakeLocal(slot, root_cost), std::nullopt};
      }
    }
    for (size_t i = 0; i < environment_.variables.size(); ++i) {
      if (environment_.variables[i].name == name) {
        return Planned{MakeVariable(i, root_cost), environment_.variables[i].kind};
      }
    }
    if (const Value* type = FindType(name)) {
      return Planned{MakeConstant(*type), Kind::kType};
    }
    return Fail(expr, fmt::format("undeclared reference to '{}'", name));
  }

  bool IsVariable(std::string_view name) const {
    const auto& variables = environment_.variables;
    return std::find(scope_.begin(), scope_.end(), name) != scope_.end() ||
           std::any_of(variables.begin(), variables.end(),
                       [&](const Variable& variable) { return variable.name == name; });
  }

  Result<Planned> PlanSelect(const Expr& expr, uint64_t root_cost) {
    const std::string name = QualifiedName(expr);
    const Value* type = FindType(WithoutDot(name));
    if (type != nullptr && !IsVariable(name.substr(0, name.find('.')))) {
      return Planned{MakeConstant(*type), Kind::kType};
    }
    ASSIGN_OR_RETURN(Planned target, PlanExpr(*expr.target, root_cost));
    const AccessCost cost{IsPath(*expr.target) ? 0 : root_cost, 1};
    const bool optional = expr.kind == ExprKind::kOptSelect;
    if (target.kind.has_value() && *target.kind != Kind::kMap && *target.kind != Kind::kObject &&
        *target.kind != Kind::kOptional) {
      return Fail(
          expr, fmt::format("type '{}' does not support field selection", KindName(*target.kind)));
    }
    return Planned{
        MakeSelect(std::move(target.node), Value::String(expr.name), optional, cost, expr.offset),
        std::nullopt};
  }

  Result<Planned> PlanIndex(const Expr& expr, uint64_t root_cost) {
    const Expr& key_expr = *expr.args[0];
    ASSIGN_OR_RETURN(Planned target, PlanExpr(*expr.target, root_cost));
    ASSIGN_OR_RETURN(Planned key, PlanExpr(key_expr, IsPath(key_expr) ? 0 : 1));
    const AccessCost cost{IsPath(*expr.target) ? 0 : root_cost,
                          key_expr.kind == ExprKind::kTernary ? 0U : 1U};
    const bool optional = expr.kind == ExprKind::kOptIndex;
    return Planned{
        MakeIndex(std::move(target.node), std::move(key.node), optional, cost, expr.offset),
        std::nullopt};
  }

  Result<Planned> PlanHas(const Expr& expr) {
    const Expr& select = *expr.target;
    ASSIGN_OR_RETURN(Planned target, PlanExpr(*select.target, 0));
    return Planned{MakeHas(std::move(target.node), Value::String(select.name), {0, 1}, expr.offset),
                   Kind::kBool};
  }

  Result<Planned> PlanUnary(const Expr& expr) {
    ASSIGN_OR_RETURN(Planned operand, PlanExpr(*expr.args[0]));
    const auto operation = expr.name == "!" ? Not : Negate;
    const auto check = CheckUnary(operation, operand.kind);
    if (!check.works) {
      return Fail(expr, NoMatch(expr.name + "_", {&operand.kind, 1}));
    }
    return Planned{MakeUnary(operation, std::move(operand.node), expr.offset), check.kind};
  }

  Result<Planned> PlanBinary(const Expr& expr) {
    ASSIGN_OR_RETURN(Planned left, PlanExpr(*expr.args[0]));
    ASSIGN_OR_RETURN(Planned right, PlanExpr(*expr.args[1]));
    const BinaryOperator operation = FindBinaryOperator(expr.name);
    const auto check = CheckBinary(operation, left.kind, right.kind);
    if (!check.works) {
      return Fail(expr, NoMatch("_" + expr.name + "_", std::array{left.kind, right.kind}));
    }
    if (expr.name == "in" && environment_.fold_constants) {
      if (const Value* list = right.node->constant(); list != nullptr && IsSimpleList(*list)) {
        return Planned{list->list().size() == 0 ? MakeConstant(Value::Bool(false))
                                                : MakeFreeMembership(std::move(left.node), *list),
                       Kind::kBool};
      }
    }
    const bool compares = FindComparison(expr.name) != nullptr;
    return Planned{MakeBinary(expr.name, std::move(left.node), std::move(right.node), expr.offset),
                   compares ? KnownKind(Kind::kBool) : check.kind};
  }

  static bool IsSimpleList(const Value& value) {
    if (!value.Is(Kind::kList)) {
      return false;
    }
    for (size_t i = 0; i < value.list().size(); ++i) {
      if (!IsSimple(value.list().at(i))) {
        return false;
      }
    }
    return true;
  }

  Result<Planned> PlanLogical(const Expr& expr) {
    const bool conjunction = expr.kind == ExprKind::kAnd;
    NodePtrs terms;
    for (const auto& argument : expr.args) {
      ASSIGN_OR_RETURN(Planned term, PlanExpr(*argument));
      if (term.kind.value_or(Kind::kBool) != Kind::kBool) {
        return Fail(expr, NoMatch(conjunction ? "_&&_" : "_||_", {&term.kind, 1}));
      }
      terms.push_back(std::move(term.node));
    }
    return Planned{conjunction ? MakeAnd(std::move(terms), expr.offset)
                               : MakeOr(std::move(terms), expr.offset),
                   Kind::kBool};
  }

  Result<Planned> PlanTernary(const Expr& expr) {
    ASSIGN_OR_RETURN(Planned condition, PlanExpr(*expr.args[0]));
    if (condition.kind.value_or(Kind::kBool) != Kind::kBool) {
      return Fail(expr, NoMatch("_?_:_", {&condition.kind, 1}));
    }
    ASSIGN_OR_RETURN(Planned yes, PlanExpr(*expr.args[1], 0));
    ASSIGN_OR_RETURN(Planned no, PlanExpr(*expr.args[2], 0));
    const KnownKind kind = yes.kind == no.kind ? yes.kind : std::nullopt;
    return Planned{MakeTernary(std::move(condition.node), std::move(yes.node), std::move(no.node),
                               expr.offset),
                   kind};
  }

  // The node, or the constant it stands for when `constant` says that all its parts are.
  Result<NodePtr> Fold(NodePtr node, bool constant) const {
    if (!constant || !environment_.fold_constants) {
      return node;
    }
    Meter meter(kFoldingLimit);
    const Meter::Scope scope(meter);
    const std::vector<Value> none;
    std::vector<Value> locals;
    Frame frame{none, locals, meter};
    Value value = node->Eval(frame);
    if (meter.exhausted()) {
      return node;
    }
    if (value.IsError()) {
      return FailureAt(text_, value.error_offset(), value.error_message());
    }
    return MakeConstant(std::move(value));
  }

  static bool AllConstant(const NodePtrs& nodes) {
    return std::all_of(nodes.begin(), nodes.end(),
                       [](const NodePtr& node) { return node->constant() != nullptr; });
  }

  Result<Planned> PlanList(const Expr& expr) {
    NodePtrs items;
    for (const auto& argument : expr.args) {
      ASSIGN_OR_RETURN(Planned item, PlanExpr(*argument));
      items.push_back(std::move(item.node));
    }
    const bool constant = AllConstant(items);
    ASSIGN_OR_RETURN(NodePtr node,
                     Fold(MakeListNode(std::move(items), expr.optionals, expr.offset), constant));
    return Planned{std::move(node), Kind::kList};
  }

  Result<Planned> PlanMap(const Expr& expr) {
    NodePtrs keys;
    NodePtrs values;
    for (size_t i = 0; i < expr.args.size(); ++i) {
      ASSIGN_OR_RETURN(Planned part, PlanExpr(*expr.args[i]));
      (i % 2 == 0 ? keys : values).push_back(std::move(part.node));
    }
    const bool constant = AllConstant(keys) && AllConstant(values);
    ASSIGN_OR_RETURN(NodePtr node, Fold(MakeMapNode(std::move(keys), std::move(values),
                                                    expr.optionals, expr.offset),
                                        constant));
    return Planned{std::move(node), Kind::kMap};
  }

  Result<Planned> PlanCall(const Expr& expr) {
    const std::string prefix = expr.target == nullptr ? "" : QualifiedName(*expr.target);
    if (!prefix.empty()) {
      const std::string name = std::string(WithoutDot(prefix)) + "." + expr.name;
      if (auto overloads = FindOverloads(name, Style::kGlobal); !overloads.empty()) {
        return PlanOverloads(expr, name, std::move(overloads), false);
      }
    }
    const std::string name(WithoutDot(expr.name));
    const bool member = expr.target != nullptr;
    auto overloads = FindOverloads(name, member ? Style::kMember : Style::kGlobal);
    if (overloads.empty()) {
      return Fail(expr, fmt::format("undeclared reference to '{}'", name));
    }
    return PlanOverloads(expr, name, std::move(overloads), member);
  }

  Result<Planned> PlanOverloads(const Expr& expr, std::string_view name,
                                std::vector<const Overload*> overloads, bool member) {
    NodePtrs args;
    std::vector<KnownKind> kinds;
    const auto add = [&](const Expr& argument) -> Status {
      ASSIGN_OR_RETURN(Planned planned, PlanExpr(argument));
      args.push_back(std::move(planned.node));
      kinds.push_back(planned.kind);
      return Status::Ok();
    };
    if (member) {
      RETURN_IF_ERROR(add(*expr.target));
    }
    for (const auto& argument : expr.args) {
      RETURN_IF_ERROR(add(*argument));
    }
    overloads = Applicable(overloads, kinds);
    if (overloads.empty()) {
      return Fail(expr, NoMatch(name, kinds));
    }
    ASSIGN_OR_RETURN(auto regex, ConstantPattern(expr, *overloads.front(), args));
    const bool foldable =
        !member && AllConstant(args) &&
        std::find(kConversions.begin(), kConversions.end(), name) != kConversions.end();
    ASSIGN_OR_RETURN(NodePtr node, Fold(MakeCall(std::move(overloads), std::move(args),
                                                 std::move(regex), expr.offset),
                                        foldable));
    const Value* value = node->constant();
    return Planned{std::move(node),
                   value == nullptr || name == "dyn" ? std::nullopt : KnownKind(value->kind())};
  }

  Result<std::shared_ptr<const Regex>> ConstantPattern(const Expr& expr, const Overload& overload,
                                                       const NodePtrs& args) const {
    const Value* pattern = overload.pattern == 0 ? nullptr : args[overload.pattern]->constant();
    if (pattern == nullptr || !pattern->Is(Kind::kString)) {
      return std::shared_ptr<const Regex>();
    }
    auto regex = Regex::Compile(pattern->text());
    if (!regex.ok()) {
      return Fail(expr, regex.status().message());
    }
    return regex;
  }

  Result<Planned> PlanMacro(const Expr& expr) {
    Comprehension parts;
    parts.offset = expr.offset;
    ASSIGN_OR_RETURN(Planned range, PlanExpr(*expr.target));
    if (range.kind.has_value() && !CanRange(expr.name, *range.kind)) {
      return Fail(expr, fmt::format("expression of type '{}' cannot be range of a comprehension "
                                    "(must be list, map, or dynamic)",
                                    KindName(*range.kind)));
    }
    parts.range = std::move(range.node);
    parts.slot = scope_.size();
    parts.two_variables = expr.variables.size() == 2;
    scope_.insert(scope_.end(), expr.variables.begin(), expr.variables.end());
    slots_ = std::max(slots_, scope_.size());
    RETURN_IF_ERROR(PlanParts(expr, parts));
    scope_.resize(parts.slot);
    return Planned{MakeMacro(expr.name, std::move(parts)), MacroKind(expr.name)};
  }

  static bool CanRange(std::string_view macro, Kind kind) {
    return macro.starts_with("opt") ? kind == Kind::kOptional
                                    : kind == Kind::kList || kind == Kind::kMap;
  }

  static KnownKind MacroKind(std::string_view macro) {
    if (macro == "all" || macro.starts_with("exists")) {
      return Kind::kBool;
    }
    if (macro.starts_with("opt")) {
      return Kind::kOptional;
    }
    return macro.starts_with("transformMap") ? Kind::kMap : Kind::kList;
  }

  // filter(x, p) is map(x, p, x).
  Status PlanParts(const Expr& expr, Comprehension& parts) {
    const bool is_filter = expr.name == "filter";
    if (is_filter || expr.args.size() == 2) {
      ASSIGN_OR_RETURN(Planned filter, PlanExpr(*expr.args[0]));
      parts.filter = std::move(filter.node);
    }
    if (is_filter) {
      parts.body = MakeLocal(parts.slot, 1);
    } else {
      ASSIGN_OR_RETURN(Planned body, PlanExpr(*expr.args.back()));
      parts.body = std::move(body.node);
    }
    const bool folds = environment_.fold_constants;
    const bool makes_map = expr.name.starts_with("transformMap");
    parts.start_cost = folds ? 0 : makes_map ? kMapCost : kListCost;
    parts.wrap_cost = folds && parts.body->constant() != nullptr ? 0 : kListCost;
    return Status::Ok();
  }

  std::string_view text_;
  const Environment& environment_;
  std::vector<std::string> scope_;  // the names of the slots in use
  size_t slots_ = 0;
};

}  // namespace

Result<Plan> MakePlan(std::string_view expression, const Expr& tree,
                      const Environment& environment) {
  return Planner(expression, environment).Run(tree);
}

}  // namespace hearth::cel::internal
