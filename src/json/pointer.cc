#include "json/pointer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/strings.h"

namespace hearth::json {
namespace {

// Undoes ~0 and ~1; nothing when a ~ stands alone.
std::optional<std::string> Unescape(std::string_view token) {
  std::string plain;
  plain.reserve(token.size());
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      plain.push_back(token[i]);
      continue;
    }
    ++i;
    if (i == token.size() || (token[i] != '0' && token[i] != '1')) {
      return std::nullopt;
    }
    plain.push_back(token[i] == '0' ? '~' : '/');
  }
  return plain;
}

void AppendEscaped(std::string& out, std::string_view token) {
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out.push_back(c);
    }
  }
}

// One step down. V is Value or const Value.
template <typename V>
V* Step(V& value, const std::string& token) {
  if (!value.IsArray()) {
    return value.Find(token);
  }
  const std::optional<size_t> index = ArrayIndex(token);
  return index && *index < value.items().size() ? &value.items()[*index] : nullptr;
}

template <typename V>
V* Walk(V& root, const std::vector<std::string>& tokens) {
  V* value = &root;
  for (const std::string& token : tokens) {
    value = Step(*value, token);
    if (value == nullptr) {
      return nullptr;
    }
  }
  return value;
}

}  // namespace

std::optional<size_t> ArrayIndex(std::string_view token) {
  const bool digits = !token.empty() && std::all_of(token.begin(), token.end(),
                                                    [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || (token.size() > 1 && token.front() == '0')) {
    return std::nullopt;
  }
  size_t index = 0;
  const auto read = std::from_chars(token.data(), token.data() + token.size(), index);
  return read.ec == std::errc() ? std::optional<size_t>(index) : std::nullopt;
}

Result<Pointer> Pointer::Parse(std::string_view text) {
  if (text.empty()) {
    return Pointer({});
  }
  if (text.front() != '/') {
    return InvalidError(fmt::format(
        "\"{}\" is not a JSON pointer: it must be empty or begin with /", Excerpt(text, 128)));
  }
  std::vector<std::string> tokens;
  for (const std::string_view piece : Split(text.substr(1), '/')) {
    std::optional<std::string> token = Unescape(piece);
    if (!token) {
      return InvalidError(fmt::format(
          "\"{}\" is not a JSON pointer: in \"{}\" a ~ is not followed by 0 or 1; write ~0 for ~",
          Excerpt(text, 128), Excerpt(piece, 64)));
    }
    tokens.push_back(*std::move(token));
  }
  return Pointer(std::move(tokens));
}

std::string Pointer::ToString() const {
  std::string text;
  for (const std::string& token : tokens_) {
    text.push_back('/');
    AppendEscaped(text, token);
  }
  return text;
}

View Pointer::Find(View root) const {
  View view = root;
  for (const std::string& token : tokens_) {
    if (view.IsArray()) {
      const std::optional<size_t> index = ArrayIndex(token);
      view = index ? view.at(*index) : View();
    } else {
      view = view[token];
    }
  }
  return view;
}

const Value* Pointer::Find(const Value& root) const { return Walk(root, tokens_); }
Value* Pointer::Find(Value& root) const { return Walk(root, tokens_); }

}  // namespace hearth::json
