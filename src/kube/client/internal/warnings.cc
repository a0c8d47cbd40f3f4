#include "kube/client/internal/warnings.h"

#include <utility>

#include "base/strings.h"

namespace hearth::kube::internal {
namespace {

constexpr size_t kRemembered = 1000;
constexpr size_t kMaxTextBytes = 4096;

// The quoted string at the front of `rest`, which is moved behind it. Empty when there is none.
std::string TakeQuoted(std::string_view& rest) {
  std::string text;
  size_t at = 1;
  while (at < rest.size() && rest[at] != '"') {
    at += rest[at] == '\\' && at + 1 < rest.size() ? 1 : 0;
    text += rest[at++];
  }
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return text;
}

// A header may hold several: 299 - "a", 299 - "b". A date behind a text is a quoted string too, but
// has no code before it.
void ParseHeader(std::string_view rest, std::vector<std::string>& texts) {
  while (true) {
    const size_t quote = rest.find('"');
    if (quote == std::string_view::npos) {
      return;
    }
    const std::string_view before = Trim(rest.substr(0, quote));
    rest.remove_prefix(quote);
    std::string text = TakeQuoted(rest);
    const size_t code = before.find("299 ");
    if (code != std::string_view::npos && !text.empty()) {
      texts.push_back(Excerpt(text, kMaxTextBytes));
    }
  }
}

}  // namespace

std::vector<std::string> ParseWarnings(const http::Headers& headers) {
  std::vector<std::string> texts;
  for (const std::string_view value : headers.GetAll("Warning")) {
    ParseHeader(value, texts);
  }
  return texts;
}

WarningLog::WarningLog(std::function<void(std::string_view)> receiver)
    : receiver_(std::move(receiver)) {}

void WarningLog::Note(const http::Headers& headers) {
  if (!receiver_ || !headers.Has("Warning")) {
    return;
  }
  for (const std::string& text : ParseWarnings(headers)) {
    if (IsNew(text)) {
      receiver_(text);
    }
  }
}

bool WarningLog::IsNew(const std::string& text) {
  std::lock_guard lock(mutex_);
  if (seen_.size() >= kRemembered) {
    seen_.clear();
  }
  return seen_.insert(text).second;
}

}  // namespace hearth::kube::internal
