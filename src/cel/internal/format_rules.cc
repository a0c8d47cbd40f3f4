#include "cel/internal/format_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/base64.h"
#include "cel/internal/regex.h"
#include "cel/internal/time_math.h"
#include "cel/internal/url.h"

namespace hearth::cel::internal {
namespace {

using Problems = std::vector<std::string>;

constexpr std::string_view kLabel = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kSubdomain =
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view k1035Label = "[a-z]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kLabelValue = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
constexpr std::string_view kQualifiedName = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kUuid =
    "(?i)[0-9A-F]{8}-?[0-9A-F]{4}-?[0-9A-F]{4}-?[0-9A-F]{4}-?[0-9A-F]{12}";
constexpr size_t kLabelMax = 63;
constexpr size_t kSubdomainMax = 253;

bool MatchesWhole(std::string_view text, std::string_view pattern) {
  const auto regex = Regex::Compile(fmt::format("^(?:{})$", pattern));
  return regex.ok() && (*regex)->Matches(text) && text.find('\n') == std::string_view::npos;
}

std::string TooLong(size_t max) { return fmt::format("must be no more than {} characters", max); }

// `what` is the sentence apimachinery has for it, up to the examples.
Problems Check(std::string_view text, size_t max, std::string_view pattern, std::string_view what,
               std::string_view examples) {
  Problems problems;
  if (text.size() > max) {
    problems.push_back(TooLong(max));
  }
  if (!MatchesWhole(text, pattern)) {
    problems.push_back(
        fmt::format("{} (e.g. {}, regex used for validation is '{}')", what, examples, pattern));
  }
  return problems;
}

Problems Label(std::string_view text) {
  return Check(text, kLabelMax, kLabel,
               "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or "
               "'-', and must start and end with an alphanumeric character",
               "'my-name',  or '123-abc'");
}

Problems Subdomain(std::string_view text) {
  return Check(text, kSubdomainMax, kSubdomain,
               "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
               "'-' or '.', and must start and end with an alphanumeric character",
               "'example.com'");
}

Problems Label1035(std::string_view text) {
  return Check(text, kLabelMax, k1035Label,
               "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start "
               "with an alphabetic character, and end with an alphanumeric character",
               "'my-name',  or 'abc-123'");
}

Problems LabelValue(std::string_view text) {
  return Check(text, kLabelMax, kLabelValue,
               "a valid label must be an empty string or consist of alphanumeric characters, '-', "
               "'_' or '.', and must start and end with an alphanumeric character",
               "'MyValue',  or 'my_value',  or '12345'");
}

Problems NamePart(std::string_view text) {
  Problems problems;
  if (text.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (text.size() > kLabelMax) {
    problems.push_back("name part " + TooLong(kLabelMax));
  }
  if (!MatchesWhole(text, kQualifiedName)) {
    problems.push_back(fmt::format(
        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and "
        "end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex "
        "used for validation is '{}')",
        kQualifiedName));
  }
  return problems;
}

Problems QualifiedName(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return NamePart(text);
  }
  if (text.find('/', slash + 1) != std::string_view::npos) {
    return {
        "a qualified name must consist of alphanumeric characters, '-', '_' or '.', with an "
        "optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  }
  Problems problems;
  if (slash == 0) {
    problems.emplace_back("prefix part must be non-empty");
  } else {
    for (const auto& problem : Subdomain(text.substr(0, slash))) {
      problems.push_back("prefix part " + problem);
    }
  }
  const Problems name = NamePart(text.substr(slash + 1));
  problems.insert(problems.end(), name.begin(), name.end());
  return problems;
}

// What a name may begin with: something will follow, so it may end in a dash.
template <Problems (*whole)(std::string_view)>
Problems Prefix(std::string_view text) {
  std::string masked(text);
  if (masked.size() > 1 && masked.back() == '-') {
    masked.back() = 'a';
  }
  return whole(masked);
}

Problems Uri(std::string_view text) {
  const auto url = ParseRequestUri(text);
  return url.ok() ? Problems{} : Problems{std::string(url.status().message())};
}

Problems Uuid(std::string_view text) {
  return MatchesWhole(text, kUuid) ? Problems{} : Problems{"does not match the UUID format"};
}

Problems Byte(std::string_view text) {
  const bool fine = !text.empty() && text.find_first_of("\r\n") == std::string_view::npos &&
                    DecodeBase64(text).ok();
  return fine ? Problems{} : Problems{"invalid base64"};
}

Problems Date(std::string_view text) {
  const bool fine =
      text.size() == 10 && !ParseTimestamp(std::string(text) + "T00:00:00Z").IsError();
  return fine ? Problems{} : Problems{"invalid date"};
}

Problems DateTime(std::string_view text) {
  std::string upper(text);
  std::replace(upper.begin(), upper.end(), 't', 'T');
  std::replace(upper.begin(), upper.end(), 'z', 'Z');
  return ParseTimestamp(upper).IsError() ? Problems{"invalid datetime"} : Problems{};
}

constexpr size_t kUriSize = 1103;
constexpr size_t kBase64Size = 84;
constexpr size_t kUuidSize = 71;
constexpr size_t kDateTimeSize = 75;
constexpr std::array kRules = {
    FormatRule{"dns1123Label", Label, 30},
    FormatRule{"dns1123Subdomain", Subdomain, 60},
    FormatRule{"dns1035Label", Label1035, 30},
    FormatRule{"qualifiedName", QualifiedName, 60},
    FormatRule{"dns1123LabelPrefix", Prefix<Label>, 30},
    FormatRule{"dns1123SubdomainPrefix", Prefix<Subdomain>, 60},
    FormatRule{"dns1035LabelPrefix", Prefix<Label1035>, 30},
    FormatRule{"labelValue", LabelValue, 40},
    FormatRule{"uri", Uri, kUriSize},
    FormatRule{"uuid", Uuid, kUuidSize},
    FormatRule{"byte", Byte, kBase64Size},
    FormatRule{"date", Date, kDateTimeSize},
    FormatRule{"datetime", DateTime, kDateTimeSize},
};

}  // namespace

const FormatRule* FindFormat(std::string_view name) {
  const auto* found = std::find_if(kRules.begin(), kRules.end(),
                                   [&](const FormatRule& rule) { return rule.name == name; });
  return found == kRules.end() ? nullptr : found;
}

}  // namespace hearth::cel::internal
