#include "cel/property_name.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hearth::cel {
namespace {

constexpr std::array<std::string_view, 21> kReserved = {
    "true",     "false",   "null",      "in",       "as",  "break",  "const",
    "continue", "else",    "for",       "function", "if",  "import", "let",
    "loop",     "package", "namespace", "return",   "var", "void",   "while"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kEscapes = {{
    {"__", "underscores"},
    {".", "dot"},
    {"-", "dash"},
    {"/", "slash"},
}};

bool IsReserved(std::string_view word) {
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end();
}

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string Wrapped(std::string_view word) { return "__" + std::string(word) + "__"; }

// What an escape with this word inside stands for; `whole` when nothing stands around it.
std::optional<std::string_view> Meaning(std::string_view word, bool whole) {
  for (const auto& [text, name] : kEscapes) {
    if (name == word) {
      return text;
    }
  }
  return whole && IsReserved(word) ? std::optional(word) : std::nullopt;
}

}  // namespace

std::optional<std::string> EscapePropertyName(std::string_view name) {
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) {
    return std::nullopt;
  }
  if (IsReserved(name)) {
    return Wrapped(name);
  }
  std::string out;
  while (!name.empty()) {
    const auto* escape = std::find_if(kEscapes.begin(), kEscapes.end(), [&](const auto& candidate) {
      return name.starts_with(candidate.first);
    });
    if (escape != kEscapes.end()) {
      out += Wrapped(escape->second);
      name.remove_prefix(escape->first.size());
    } else if (IsPlain(name.front())) {
      out += name.front();
      name.remove_prefix(1);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::string> UnescapePropertyName(std::string_view identifier) {
  std::string out;
  std::string_view rest = identifier;
  while (!rest.empty()) {
    // An escape is two underscores, a word without any, and two more.
    const size_t end = rest.starts_with("__") ? rest.find('_', 2) : std::string_view::npos;
    if (end == std::string_view::npos || end == 2 || rest.substr(end, 2) != "__") {
      out += rest.front();
      rest.remove_prefix(1);
      continue;
    }
    const auto meaning = Meaning(rest.substr(2, end - 2), end + 2 == identifier.size());
    if (!meaning.has_value()) {
      return std::nullopt;
    }
    out += *meaning;
    rest.remove_prefix(end + 2);
  }
  return out;
}

}  // namespace hearth::cel
