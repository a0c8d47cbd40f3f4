#include "kube/model/internal/selector_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "kube/model/internal/label_rules.h"

namespace hearth::kube::internal {
namespace {

using Operator = LabelSelector::Operator;

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kSymbols = "=!(),<>";

}  // namespace

constexpr std::pair<std::string_view, SelectorParser::Token> SelectorParser::kTokens[] = {
    {",", Token::kComma},  {"(", Token::kOpen},    {")", Token::kClose},
    {"=", Token::kEquals}, {"==", Token::kEquals}, {"!=", Token::kNotEquals},
    {"!", Token::kNot},    {"<", Token::kOrder},   {">", Token::kOrder},
};

Result<LabelSelector::Requirement> Checked(LabelSelector::Requirement requirement) {
  RETURN_IF_ERROR(CheckLabelKey(requirement.key));
  for (const std::string& value : requirement.values) {
    RETURN_IF_ERROR(CheckLabelValue(value).WithContext("key " + requirement.key));
  }
  const bool wants_values = requirement.op == Operator::kIn || requirement.op == Operator::kNotIn;
  if (wants_values == requirement.values.empty()) {
    return InvalidError(fmt::format("key {}: {}", requirement.key,
                                    wants_values ? "\"in\" and \"notin\" need at least one value"
                                                 : "\"exists\" takes no values"));
  }
  std::sort(requirement.values.begin(), requirement.values.end());
  requirement.values.erase(std::unique(requirement.values.begin(), requirement.values.end()),
                           requirement.values.end());
  return requirement;
}

SelectorParser::SelectorParser(std::string_view text) : text_(text), rest_(text) { Advance(); }

Result<std::vector<LabelSelector::Requirement>> SelectorParser::Parse() {
  std::vector<LabelSelector::Requirement> requirements;
  if (token_ == Token::kEnd) {
    return requirements;
  }
  while (true) {
    ASSIGN_OR_RETURN(auto requirement, Requirement());
    requirements.push_back(std::move(requirement));
    if (token_ == Token::kEnd) {
      return requirements;
    }
    if (token_ != Token::kComma) {
      return Unexpected("',' or the end");
    }
    Advance();
  }
}

// Moves to the token behind the current one.
void SelectorParser::Advance() {
  rest_.remove_prefix(literal_.size());
  rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpaces), rest_.size()));
  const bool symbol = !rest_.empty() && kSymbols.find(rest_.front()) != std::string_view::npos;
  literal_ = symbol ? Symbol() : Word();
  token_ = literal_.empty() ? Token::kEnd : Token::kWord;
  for (const auto& [text, token] : kTokens) {
    token_ = literal_ == text ? token : token_;
  }
}

std::string_view SelectorParser::Symbol() const {
  return rest_.starts_with("==") || rest_.starts_with("!=") ? rest_.substr(0, 2)
                                                            : rest_.substr(0, 1);
}

std::string_view SelectorParser::Word() const {
  const size_t space = rest_.find_first_of(kSpaces);
  const size_t symbol = rest_.find_first_of(kSymbols);
  return rest_.substr(0, std::min(space, symbol));
}

Result<LabelSelector::Requirement> SelectorParser::Requirement() {
  const bool negated = token_ == Token::kNot;
  if (negated) {
    Advance();
  }
  if (token_ != Token::kWord) {
    return Unexpected("a label key");
  }
  LabelSelector::Requirement requirement{std::string(literal_), Operator::kExists, {}};
  Advance();
  if (negated) {
    requirement.op = Operator::kDoesNotExist;
  } else if (token_ == Token::kEquals || token_ == Token::kNotEquals) {
    requirement.op = token_ == Token::kEquals ? Operator::kIn : Operator::kNotIn;
    Advance();
    ASSIGN_OR_RETURN(requirement.values, OneValue());
  } else if (token_ != Token::kComma && token_ != Token::kEnd) {
    ASSIGN_OR_RETURN(requirement.op, InOrNotIn());
    ASSIGN_OR_RETURN(requirement.values, ValueSet());
  }
  return Checked(std::move(requirement));
}

Result<Operator> SelectorParser::InOrNotIn() {
  if (token_ == Token::kOrder) {
    return UnsupportedError(
        fmt::format("label selector \"{}\": '<' and '>' are not supported", Excerpt(text_, 80)));
  }
  if (token_ != Token::kWord || (literal_ != "in" && literal_ != "notin")) {
    return Unexpected("one of =, ==, !=, in, notin");
  }
  const Operator op = literal_ == "in" ? Operator::kIn : Operator::kNotIn;
  Advance();
  return op;
}

// Of "key=value"; "key=" means the empty value.
Result<std::vector<std::string>> SelectorParser::OneValue() {
  if (token_ == Token::kEnd || token_ == Token::kComma) {
    return std::vector<std::string>{""};
  }
  if (token_ != Token::kWord) {
    return Unexpected("a value");
  }
  std::vector<std::string> values{std::string(literal_)};
  Advance();
  return values;
}

// "(a,b)"; nothing before or behind a comma is the empty value.
Result<std::vector<std::string>> SelectorParser::ValueSet() {
  if (token_ != Token::kOpen) {
    return Unexpected("'('");
  }
  Advance();
  std::vector<std::string> values;
  if (token_ != Token::kClose) {
    values.emplace_back();
  }
  while (token_ != Token::kClose) {
    if (token_ == Token::kComma) {
      values.emplace_back();
    } else if (token_ == Token::kWord && values.back().empty()) {
      values.back() = literal_;
    } else {
      return Unexpected("',' or ')'");
    }
    Advance();
  }
  Advance();
  return values;
}

Status SelectorParser::Unexpected(std::string_view wanted) const {
  const size_t offset = literal_.data() == nullptr ? text_.size() : literal_.data() - text_.data();
  return InvalidError(
      fmt::format("label selector \"{}\": found {} at byte {}, expected {}", Excerpt(text_, 80),
                  token_ == Token::kEnd ? "the end" : Excerpt(literal_, 40), offset, wanted));
}

}  // namespace hearth::kube::internal
