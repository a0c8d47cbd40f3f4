#include "http/message.h"

#include <algorithm>

#include "base/strings.h"

namespace hearth::http {
namespace {

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

// -1 when it is no hexadecimal digit.
int HexValue(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  if (c >= 'A' && c <= 'F') {
    return c - 'A' + 10;
  }
  return -1;
}

// The byte escaped at `at`, -1 when there is no whole escape.
int EscapedByte(std::string_view text, size_t at) {
  if (text[at] != '%' || text.size() - at < 3) {
    return -1;
  }
  const int high = HexValue(text[at + 1]);
  const int low = HexValue(text[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

}  // namespace

void Headers::Add(std::string_view name, std::string_view value) {
  fields_.emplace_back(name, value);
}

void Headers::Set(std::string_view name, std::string_view value) {
  Erase(name);
  Add(name, value);
}

void Headers::Erase(std::string_view name) {
  std::erase_if(fields_, [&](const auto& field) { return EqualIgnoreCase(field.first, name); });
}

std::string_view Headers::Get(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (EqualIgnoreCase(key, name)) {
      return value;
    }
  }
  return {};
}

bool Headers::Has(std::string_view name) const {
  return std::any_of(fields_.begin(), fields_.end(),
                     [&](const auto& field) { return EqualIgnoreCase(field.first, name); });
}

std::vector<std::string_view> Headers::GetAll(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : fields_) {
    if (EqualIgnoreCase(key, name)) {
      values.push_back(value);
    }
  }
  return values;
}

std::string EscapeComponent(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (IsUnreserved(c)) {
      result += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return result;
}

std::string UnescapeComponent(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    const int byte = EscapedByte(text, at);
    if (byte < 0) {
      result += text[at];
    } else {
      result += static_cast<char>(byte);
      at += 2;
    }
  }
  return result;
}

std::string WriteQuery(const QueryPairs& pairs) {
  std::string result;
  for (const auto& [key, value] : pairs) {
    if (!result.empty()) {
      result += '&';
    }
    result += EscapeComponent(key);
    result += '=';
    result += EscapeComponent(value);
  }
  return result;
}

QueryPairs ParseQuery(std::string_view query) {
  QueryPairs pairs;
  for (const std::string_view piece : Split(query, '&')) {
    if (piece.empty()) {
      continue;
    }
    const size_t equals = std::min(piece.find('='), piece.size());
    const std::string_view value = equals == piece.size() ? "" : piece.substr(equals + 1);
    pairs.emplace_back(UnescapeComponent(piece.substr(0, equals)), UnescapeComponent(value));
  }
  return pairs;
}

std::string_view StatusText(int status) {
  static constexpr std::pair<int, std::string_view> kTexts[] = {
      {100, "Continue"},
      {101, "Switching Protocols"},
      {200, "OK"},
      {201, "Created"},
      {202, "Accepted"},
      {204, "No Content"},
      {206, "Partial Content"},
      {301, "Moved Permanently"},
      {302, "Found"},
      {303, "See Other"},
      {304, "Not Modified"},
      {307, "Temporary Redirect"},
      {308, "Permanent Redirect"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {410, "Gone"},
      {411, "Length Required"},
      {412, "Precondition Failed"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {417, "Expectation Failed"},
      {422, "Unprocessable Content"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {502, "Bad Gateway"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
      {505, "HTTP Version Not Supported"},
  };
  const auto* found = std::find_if(std::begin(kTexts), std::end(kTexts),
                                   [&](const auto& text) { return text.first == status; });
  return found == std::end(kTexts) ? "Unknown" : found->second;
}

}  // namespace hearth::http
