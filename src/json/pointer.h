#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "json/view.h"

namespace hearth::json {

// RFC 6901: "/spec/containers/0/image", "~1" for '/', "~0" for '~'.
class Pointer {
 public:
  static Result<Pointer> Parse(std::string_view text);
  explicit Pointer(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {}

  const std::vector<std::string>& tokens() const { return tokens_; }
  std::string ToString() const;
  View Find(View root) const;  // absent when there is nothing
  const Value* Find(const Value& root) const;
  Value* Find(Value& root) const;

 private:
  std::vector<std::string> tokens_;
};

// An array index as RFC 6901 has it: no sign, no leading zero. Nothing otherwise.
std::optional<size_t> ArrayIndex(std::string_view token);

}  // namespace hearth::json
