#include "schema/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace hearth::schema {
namespace {

constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxSubdomain = 253;

constexpr std::string_view kLabelFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kNameFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlnum(char c) { return IsLower(c) || IsDigit(c) || (c >= 'A' && c <= 'Z'); }
bool IsLowerAlnum(char c) { return IsLower(c) || IsDigit(c); }

bool IsLabel(std::string_view text) {
  return !text.empty() && IsLowerAlnum(text.front()) && IsLowerAlnum(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLowerAlnum(c) || c == '-'; });
}

bool IsSubdomain(std::string_view text) {
  const auto labels = Split(text, '.');
  return std::all_of(labels.begin(), labels.end(), IsLabel);
}

bool IsName(std::string_view text) {
  return !text.empty() && IsAlnum(text.front()) && IsAlnum(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
}

std::string TooLongText(size_t max) {
  return fmt::format("must be no more than {} characters", max);
}

std::string FormatText(std::string_view what, std::string_view examples, std::string_view format) {
  return fmt::format("{} (e.g. {}, regex used for validation is '{}')", what, examples, format);
}

std::string NameText() {
  return FormatText(
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character",
      "'MyName',  or 'my.name',  or '123-abc'", kNameFormat);
}

}  // namespace

std::vector<std::string> CheckDns1123Label(std::string_view text) {
  std::vector<std::string> wrong;
  if (text.size() > kMaxLabel) {
    wrong.push_back(TooLongText(kMaxLabel));
  }
  if (!IsLabel(text)) {
    wrong.push_back(IsSubdomain(text)
                        ? "must not contain dots"
                        : FormatText("a lowercase RFC 1123 label must consist of lower case "
                                     "alphanumeric characters or '-', and must start and end with "
                                     "an alphanumeric character",
                                     "'my-name',  or '123-abc'", kLabelFormat));
  }
  return wrong;
}

std::vector<std::string> CheckDns1123Subdomain(std::string_view text) {
  std::vector<std::string> wrong;
  if (text.size() > kMaxSubdomain) {
    wrong.push_back(TooLongText(kMaxSubdomain));
  }
  if (!IsSubdomain(text)) {
    wrong.push_back(FormatText(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
        "'.', and must start and end with an alphanumeric character",
        "'example.com'", fmt::format("{0}(\\.{0})*", kLabelFormat)));
  }
  return wrong;
}

std::vector<std::string> CheckDns1035Label(std::string_view text) {
  std::vector<std::string> wrong;
  if (text.size() > kMaxLabel) {
    wrong.push_back(TooLongText(kMaxLabel));
  }
  if (!IsLabel(text) || !IsLower(text.front())) {
    wrong.push_back(
        FormatText("a DNS-1035 label must consist of lower case alphanumeric "
                   "characters or '-', start with an alphabetic character, and end "
                   "with an alphanumeric character",
                   "'my-name',  or 'abc-123'", "[a-z]([-a-z0-9]*[a-z0-9])?"));
  }
  return wrong;
}

std::vector<std::string> CheckQualifiedName(std::string_view text) {
  std::vector<std::string> wrong;
  const auto parts = Split(text, '/');
  if (parts.size() > 2) {
    return {"a qualified name " + NameText() +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  }
  if (parts.size() == 2 && parts[0].empty()) {
    wrong.emplace_back("prefix part must be non-empty");
  } else if (parts.size() == 2) {
    for (const std::string& message : CheckDns1123Subdomain(parts[0])) {
      wrong.push_back("prefix part " + message);
    }
  }
  const std::string_view name = parts.back();
  if (name.empty()) {
    wrong.emplace_back("name part must be non-empty");
  } else if (name.size() > kMaxLabel) {
    wrong.push_back("name part " + TooLongText(kMaxLabel));
  }
  if (!IsName(name)) {
    wrong.push_back("name part " + NameText());
  }
  return wrong;
}

std::vector<std::string> CheckLabelValue(std::string_view text) {
  std::vector<std::string> wrong;
  if (text.size() > kMaxLabel) {
    wrong.push_back(TooLongText(kMaxLabel));
  }
  if (!text.empty() && !IsName(text)) {
    wrong.push_back(FormatText(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character",
        "'MyValue',  or 'my_value',  or '12345'", fmt::format("({})?", kNameFormat)));
  }
  return wrong;
}

std::vector<std::string> CheckPathSegment(std::string_view text, bool prefix) {
  if (!prefix && (text == "." || text == "..")) {
    return {fmt::format("may not be '{}'", text)};
  }
  std::vector<std::string> wrong;
  for (const char c : {'/', '%'}) {
    if (text.find(c) != std::string_view::npos) {
      wrong.push_back(fmt::format("may not contain '{}'", c));
    }
  }
  return wrong;
}

}  // namespace hearth::schema
