#include "cel/internal/regex.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "cel/internal/utf8.h"

namespace hearth::cel::internal {
namespace {

constexpr int64_t kMaxMemory = 1 << 20;

RE2::Options Quiet() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxMemory);
  return options;
}

class Re2Regex final : public Regex {
 public:
  explicit Re2Regex(std::string_view pattern)
      : regex_(re2::StringPiece(pattern.data(), pattern.size()), Quiet()) {}
  bool ok() const { return regex_.ok(); }
  const std::string& error() const { return regex_.error(); }

  bool Matches(std::string_view text) const override {
    re2::StringPiece match;
    return Search(text, 0, match);
  }

  std::string_view Find(std::string_view text) const override {
    re2::StringPiece match;
    return Search(text, 0, match) ? std::string_view(match.data(), match.size())
                                  : std::string_view();
  }

  // An empty match right after another one does not count, as in Go.
  std::vector<std::string_view> FindAll(std::string_view text, int64_t limit) const override {
    std::vector<std::string_view> found;
    size_t from = 0;
    size_t last_end = std::string_view::npos;
    re2::StringPiece match;
    while (from <= text.size() && (limit < 0 || found.size() < static_cast<size_t>(limit)) &&
           Search(text, from, match)) {
      const size_t start = match.data() - text.data();
      const size_t end = start + match.size();
      if (!match.empty() || start != last_end) {
        found.push_back(text.substr(start, match.size()));
      }
      last_end = end;
      from = match.empty() ? end + ByteOffset(text.substr(end), 1) + (end == text.size() ? 1 : 0)
                           : end;
    }
    return found;
  }

 private:
  bool Search(std::string_view text, size_t from, re2::StringPiece& match) const {
    const re2::StringPiece input(text.data() == nullptr ? "" : text.data(), text.size());
    return regex_.Match(input, from, text.size(), RE2::UNANCHORED, &match, 1);
  }

  RE2 regex_;
};

}  // namespace

Result<std::shared_ptr<const Regex>> Regex::Compile(std::string_view pattern) {
  auto regex = std::make_shared<Re2Regex>(pattern);
  if (!regex->ok()) {
    return InvalidError(fmt::format("error parsing regexp: {}", regex->error()));
  }
  return std::shared_ptr<const Regex>(std::move(regex));
}

}  // namespace hearth::cel::internal
