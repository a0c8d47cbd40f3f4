#include "cel/internal/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cel/internal/lexer.h"
#include "cel/internal/macros.h"
#include "cel/internal/position.h"

namespace hearth::cel::internal {
namespace {

constexpr std::array<std::string_view, 17> kReserved = {
    "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
    "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};

// Binary operators from the loosest to the tightest, && and || apart.
constexpr std::array<std::array<std::string_view, 7>, 3> kLevels = {{
    {"<", "<=", ">", ">=", "==", "!=", "in"},
    {"+", "-"},
    {"*", "/", "%"},
}};

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens, int max_depth)
      : text_(text), tokens_(std::move(tokens)), max_depth_(max_depth) {}

  Result<ExprPtr> Run() {
    ASSIGN_OR_RETURN(ExprPtr expr, Expression());
    if (Peek().kind != TokenKind::kEnd) {
      return Unexpected();
    }
    return expr;
  }

 private:
  const Token& Peek() const { return tokens_[at_]; }
  bool Sees(std::string_view symbol) const {
    return Peek().kind == TokenKind::kSymbol && Peek().text == symbol;
  }
  bool Accept(std::string_view symbol) {
    const bool seen = Sees(symbol);
    at_ += seen ? 1 : 0;
    return seen;
  }
  Status Expect(std::string_view symbol) { return Accept(symbol) ? Status::Ok() : Unexpected(); }

  Status Unexpected() const {
    return Peek().kind == TokenKind::kEnd
               ? FailureAt(text_, Peek().offset, "syntax error: the expression ends too early")
               : FailureAt(text_, Peek().offset,
                           fmt::format("syntax error: unexpected '{}'", Excerpt(Peek().text, 40)));
  }

  Status TooDeep(size_t offset) const {
    return ExhaustedError(fmt::format("{}: expression recursion limit exceeded: {}",
                                      Position(text_, offset), max_depth_));
  }

  static ExprPtr Make(ExprKind kind, size_t offset, std::string_view name = "") {
    auto expr = std::make_unique<Expr>();
    expr->kind = kind;
    expr->offset = offset;
    expr->name = name;
    return expr;
  }

  // Every node passes here once its parts are in place.
  Result<ExprPtr> Finish(ExprPtr expr) const {
    int depth = expr->target == nullptr ? 0 : expr->target->depth;
    for (const auto& argument : expr->args) {
      depth = std::max(depth, argument->depth);
    }
    expr->depth = depth + 1;
    if (expr->depth > max_depth_) {
      return TooDeep(expr->offset);
    }
    return expr;
  }

  Result<ExprPtr> Expression() {
    if (++nesting_ > max_depth_) {
      return TooDeep(Peek().offset);
    }
    ASSIGN_OR_RETURN(ExprPtr condition, Logical("||", ExprKind::kOr));
    const size_t offset = Peek().offset;
    if (Accept("?")) {
      auto expr = Make(ExprKind::kTernary, offset);
      expr->args.push_back(std::move(condition));
      ASSIGN_OR_RETURN(ExprPtr yes, Logical("||", ExprKind::kOr));
      expr->args.push_back(std::move(yes));
      RETURN_IF_ERROR(Expect(":"));
      ASSIGN_OR_RETURN(ExprPtr no, Expression());
      expr->args.push_back(std::move(no));
      ASSIGN_OR_RETURN(condition, Finish(std::move(expr)));
    }
    --nesting_;
    return condition;
  }

  Result<ExprPtr> Logical(std::string_view symbol, ExprKind kind) {
    const auto operand = [&] {
      return kind == ExprKind::kOr ? Logical("&&", ExprKind::kAnd) : Binary(0);
    };
    ASSIGN_OR_RETURN(ExprPtr first, operand());
    if (!Sees(symbol)) {
      return first;
    }
    auto expr = Make(kind, Peek().offset);
    expr->args.push_back(std::move(first));
    while (Accept(symbol)) {
      ASSIGN_OR_RETURN(ExprPtr next, operand());
      expr->args.push_back(std::move(next));
    }
    return Finish(std::move(expr));
  }

  bool SeesOperator(size_t level) const {
    const auto& symbols = kLevels[level];
    return Peek().kind == TokenKind::kSymbol &&
           std::find(symbols.begin(), symbols.end(), Peek().text) != symbols.end();
  }

  Result<ExprPtr> Binary(size_t level) {
    if (level == kLevels.size()) {
      return Unary();
    }
    ASSIGN_OR_RETURN(ExprPtr left, Binary(level + 1));
    while (SeesOperator(level)) {
      auto expr = Make(ExprKind::kBinary, Peek().offset, Peek().text);
      ++at_;
      expr->args.push_back(std::move(left));
      ASSIGN_OR_RETURN(ExprPtr right, Binary(level + 1));
      expr->args.push_back(std::move(right));
      ASSIGN_OR_RETURN(left, Finish(std::move(expr)));
    }
    return left;
  }

  // A row of the same sign: pairs cancel each other.
  Result<ExprPtr> Unary() {
    const size_t offset = Peek().offset;
    const std::string_view sign = Sees("!") ? "!" : "-";
    bool odd = false;
    while (Accept(sign)) {
      odd = !odd;
    }
    if (odd && sign == "-" && Peek().kind == TokenKind::kLiteral && Peek().literal.IsNumber() &&
        !Peek().literal.Is(Kind::kUint)) {
      Negate(tokens_[at_]);
      odd = false;
    }
    ASSIGN_OR_RETURN(ExprPtr operand, Member());
    if (!odd) {
      return operand;
    }
    auto expr = Make(ExprKind::kUnary, offset, sign);
    expr->args.push_back(std::move(operand));
    return Finish(std::move(expr));
  }

  static void Negate(Token& token) {
    if (token.literal.Is(Kind::kDouble)) {
      token.literal = Value::Double(-token.literal.real());
    } else if (token.is_min_int_magnitude) {
      token.is_min_int_magnitude = false;
      token.literal = Value::Int(std::numeric_limits<int64_t>::min());
    } else {
      token.literal = Value::Int(-token.literal.integer());
    }
  }

  Result<ExprPtr> Member() {
    ASSIGN_OR_RETURN(ExprPtr expr, Primary());
    while (true) {
      const size_t offset = Peek().offset;
      if (Accept(".")) {
        ASSIGN_OR_RETURN(expr, AfterDot(std::move(expr), offset));
      } else if (Accept("[")) {
        auto index = Make(Accept("?") ? ExprKind::kOptIndex : ExprKind::kIndex, offset);
        index->target = std::move(expr);
        ASSIGN_OR_RETURN(ExprPtr key, Expression());
        index->args.push_back(std::move(key));
        RETURN_IF_ERROR(Expect("]"));
        ASSIGN_OR_RETURN(expr, Finish(std::move(index)));
      } else if (Sees("{") && (expr->kind == ExprKind::kName || expr->kind == ExprKind::kSelect)) {
        return FailureAt(text_, offset, "struct literals are not supported: there are no types");
      } else {
        return expr;
      }
    }
  }

  Result<ExprPtr> AfterDot(ExprPtr target, size_t offset) {
    const bool optional = Accept("?");
    if (Peek().kind != TokenKind::kName) {
      return Unexpected();
    }
    auto expr = Make(optional ? ExprKind::kOptSelect : ExprKind::kSelect, offset, Peek().text);
    expr->target = std::move(target);
    ++at_;
    if (!optional && Sees("(")) {
      expr->kind = ExprKind::kCall;
      return CallArguments(std::move(expr));
    }
    return Finish(std::move(expr));
  }

  Result<ExprPtr> CallArguments(ExprPtr call) {
    RETURN_IF_ERROR(Expect("("));
    if (!Sees(")")) {
      do {
        ASSIGN_OR_RETURN(ExprPtr argument, Expression());
        call->args.push_back(std::move(argument));
      } while (Accept(","));
    }
    RETURN_IF_ERROR(Expect(")"));
    if (const std::string wrong = RecogniseMacro(*call); !wrong.empty()) {
      return FailureAt(text_, call->offset, wrong);
    }
    return Finish(std::move(call));
  }

  Result<ExprPtr> Primary() {
    const Token& token = Peek();
    if (token.kind == TokenKind::kLiteral) {
      return Literal();
    }
    if (token.kind == TokenKind::kName || Sees(".")) {
      return Name();
    }
    if (Accept("(")) {
      ASSIGN_OR_RETURN(ExprPtr inner, Expression());
      RETURN_IF_ERROR(Expect(")"));
      return inner;
    }
    if (Accept("[")) {
      return ListLiteral(token.offset);
    }
    if (Accept("{")) {
      return MapLiteral(token.offset);
    }
    return Unexpected();
  }

  Result<ExprPtr> Literal() {
    const Token& token = Peek();
    if (token.is_min_int_magnitude) {
      return FailureAt(text_, token.offset, "invalid int literal");
    }
    auto expr = Make(ExprKind::kLiteral, token.offset);
    expr->literal = token.literal;
    ++at_;
    return expr;
  }

  Result<ExprPtr> Name() {
    const size_t offset = Peek().offset;
    const std::string prefix = Accept(".") ? "." : "";
    const Token& token = Peek();
    if (token.kind != TokenKind::kName) {
      return Unexpected();
    }
    if (std::find(kReserved.begin(), kReserved.end(), token.text) != kReserved.end()) {
      return FailureAt(text_, token.offset, fmt::format("reserved identifier: {}", token.text));
    }
    auto expr = Make(ExprKind::kName, offset, prefix + std::string(token.text));
    ++at_;
    if (Sees("(")) {
      expr->kind = ExprKind::kCall;
      return CallArguments(std::move(expr));
    }
    return expr;
  }

  Result<ExprPtr> ListLiteral(size_t offset) {
    auto list = Make(ExprKind::kList, offset);
    while (!Accept("]")) {
      list->optionals.push_back(Accept("?"));
      ASSIGN_OR_RETURN(ExprPtr item, Expression());
      list->args.push_back(std::move(item));
      if (!Accept(",") && !Sees("]")) {
        return Unexpected();
      }
    }
    return Finish(std::move(list));
  }

  Result<ExprPtr> MapLiteral(size_t offset) {
    auto map = Make(ExprKind::kMap, offset);
    while (!Accept("}")) {
      map->optionals.push_back(Accept("?"));
      ASSIGN_OR_RETURN(ExprPtr key, Expression());
      map->args.push_back(std::move(key));
      RETURN_IF_ERROR(Expect(":"));
      ASSIGN_OR_RETURN(ExprPtr value, Expression());
      map->args.push_back(std::move(value));
      if (!Accept(",") && !Sees("}")) {
        return Unexpected();
      }
    }
    return Finish(std::move(map));
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  int max_depth_;
  size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

Result<ExprPtr> Parse(std::string_view expression, int max_depth) {
  ASSIGN_OR_RETURN(auto tokens, Tokenize(expression));
  return Parser(expression, std::move(tokens), max_depth).Run();
}

}  // namespace hearth::cel::internal
