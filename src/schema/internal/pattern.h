#pragma once

#include <re2/re2.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace hearth::schema::internal {

// A pattern of a schema. A schema has hundreds of them and an object meets few, so it is compiled
// when first asked. Keeps the text by reference. Thread-safe.
class Pattern {
 public:
  explicit Pattern(const std::string& text) : text_(text) {}

  // Somewhere in the text, as Kubernetes takes it. A pattern that is none matches nothing.
  bool Matches(std::string_view text) const {
    std::call_once(once_, [this] { compiled_ = std::make_unique<RE2>(text_, RE2::Quiet); });
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
  }

 private:
  const std::string& text_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<RE2> compiled_;
};

}  // namespace hearth::schema::internal
