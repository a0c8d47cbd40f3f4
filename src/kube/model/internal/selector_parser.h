#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kube/model/selector.h"

namespace hearth::kube::internal {

// A requirement as the API server takes it: key and values fit the rules of labels, and their
// number fits the operator. Values come back sorted, each once.
Result<LabelSelector::Requirement> Checked(LabelSelector::Requirement requirement);

// The grammar of label selectors in text. Not thread-safe; good for one text.
class SelectorParser {
 public:
  explicit SelectorParser(std::string_view text);
  Result<std::vector<LabelSelector::Requirement>> Parse();

 private:
  enum class Token { kEnd, kWord, kComma, kOpen, kClose, kNot, kEquals, kNotEquals, kOrder };

  static const std::pair<std::string_view, Token> kTokens[9];

  void Advance();
  std::string_view Symbol() const;
  std::string_view Word() const;
  Result<LabelSelector::Requirement> Requirement();
  Result<LabelSelector::Operator> InOrNotIn();
  Result<std::vector<std::string>> OneValue();
  Result<std::vector<std::string>> ValueSet();
  Status Unexpected(std::string_view wanted) const;

  std::string_view text_;
  std::string_view rest_;     // from the current token on
  std::string_view literal_;  // the current token
  Token token_ = Token::kEnd;
};

}  // namespace hearth::kube::internal
