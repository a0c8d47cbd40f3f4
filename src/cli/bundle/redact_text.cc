#include <re2/re2.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/secret_name.h"
#include "cli/bundle/redact.h"

namespace hearth::bundle {
namespace {

struct Shape {
  const char* pattern;
  const char* instead;
};

// What secrets look like by themselves.
constexpr Shape kShapes[] = {
    {R"(-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----)", "REDACTED"},
    {R"(\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)", "REDACTED"},
    {R"((?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,})", R"(\1 REDACTED)"},
    {R"(\b(hf_|nvapi-|sk-|gh[pousr]_|glpat-|xox[abprs]-)[A-Za-z0-9_-]{12,})", "REDACTED"},
    {R"(\bAKIA[0-9A-Z]{16}\b)", "REDACTED"},
    {R"(([A-Za-z][A-Za-z0-9+.-]*://)[^/\s:@]*:[^/\s@]+@)", R"(\1REDACTED@)"}};

// name=value, "name": "value", --name value
constexpr const char* kAssigned =
    R"((-{0,2}[A-Za-z][A-Za-z0-9_.-]*)(["']?\s*[=:]\s*["']?|\s+)([^\s"',;&\\{}\[\]]+))";

const std::vector<std::pair<std::unique_ptr<RE2>, const char*>>& Shapes() {
  static const auto* const kAll = [] {
    auto* all = new std::vector<std::pair<std::unique_ptr<RE2>, const char*>>();
    for (const Shape& shape : kShapes) {
      all->emplace_back(std::make_unique<RE2>(shape.pattern), shape.instead);
    }
    return all;
  }();
  return *kAll;
}

bool Hides(std::string_view name, std::string_view between, std::string_view value) {
  const bool option = name.starts_with("-");
  const bool assigned = between.find_first_of("=:") != std::string_view::npos;
  return (option || assigned) && value.find(kRedacted) == std::string_view::npos &&
         !(value.starts_with("-") && !assigned) && LooksLikeSecretName(name);
}

void RedactAssigned(RedactedText& redacted) {
  static const RE2* const kPattern = new RE2(kAssigned);
  const std::string text = std::move(redacted.text);
  redacted.text.clear();
  re2::StringPiece rest(text);
  re2::StringPiece name;
  re2::StringPiece between;
  re2::StringPiece value;
  const char* kept = text.data();
  while (RE2::FindAndConsume(&rest, *kPattern, &name, &between, &value)) {
    const auto view = [](const re2::StringPiece& piece) {
      return std::string_view(piece.data(), piece.size());
    };
    if (Hides(view(name), view(between), view(value))) {
      redacted.text.append(kept, value.data());
      redacted.text += kRedacted;
      kept = value.data() + value.size();
      ++redacted.count;
    } else {
      // The value may be the next name.
      rest = re2::StringPiece(value.data(),
                              static_cast<size_t>(text.data() + text.size() - value.data()));
    }
  }
  redacted.text.append(kept, text.data() + text.size());
}

}  // namespace

RedactedText RedactText(std::string_view text) {
  RedactedText redacted{.text = std::string(text)};
  for (const auto& [pattern, instead] : Shapes()) {
    const int found = RE2::GlobalReplace(&redacted.text, *pattern, instead);
    redacted.count += static_cast<size_t>(found);
  }
  RedactAssigned(redacted);
  return redacted;
}

}  // namespace hearth::bundle
