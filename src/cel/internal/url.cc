#include "cel/internal/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/strings.h"

namespace hearth::cel::internal {
namespace {

constexpr std::string_view kUnreserved =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~";
constexpr std::string_view kHostExtra = "!$&'()*+,;=:[]<>\"";
constexpr std::string_view kUserExtra = "!$&'()*+,;=:@%";
// What a path may hold as written, beside percent signs.
constexpr std::string_view kPathExtra = "!$&'()*+,;=:@[]/%";
// What stays when a path must be escaped anew.
constexpr std::string_view kPathKept = "$&+,/:;=@";

bool In(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

int HexValue(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return IsDigit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> Unescape(std::string_view text, bool plus_is_space = false) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size() || HexValue(text[i + 1]) < 0 || HexValue(text[i + 2]) < 0) {
      return std::nullopt;
    }
    out += static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2]));
    i += 2;
  }
  return out;
}

std::string EscapePath(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool kept = In(kUnreserved, c) || In(kPathKept, c);
    out += kept ? std::string{c} : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

bool AllIn(std::string_view text, std::string_view extra) {
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return In(kUnreserved, c) || In(extra, c); });
}

bool IsPort(std::string_view text) {
  return text.empty() ||
         (text.front() == ':' && std::all_of(text.begin() + 1, text.end(), IsDigit));
}

class UrlParser {
 public:
  UrlParser(std::string_view text, bool request) : text_(text), rest_(text), request_(request) {}

  Result<Url> Run() {
    if (std::any_of(text_.begin(), text_.end(),
                    [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) {
      return Fail("net/url: invalid control character in URL");
    }
    if (request_ && text_.empty()) {
      return Fail("empty url");
    }
    if (!request_) {
      CutFragment();
    }
    RETURN_IF_ERROR(Scheme());
    if (const size_t mark = rest_.find('?'); mark != std::string_view::npos) {
      url_.query = rest_.substr(mark + 1);
      rest_ = rest_.substr(0, mark);
    }
    if (!rest_.starts_with('/') && !(request_ && rest_ == "*")) {
      return Rootless();
    }
    RETURN_IF_ERROR(Authority());
    RETURN_IF_ERROR(Path());
    return std::move(url_);
  }

 private:
  Status Fail(std::string_view why) const {
    return InvalidError(fmt::format("parse \"{}\": {}", Excerpt(text_, 200), why));
  }

  void CutFragment() {
    if (const size_t mark = rest_.find('#'); mark != std::string_view::npos) {
      url_.fragment = rest_.substr(mark + 1);
      rest_ = rest_.substr(0, mark);
    }
  }

  Status Scheme() {
    for (size_t i = 0; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (c == ':') {
        if (i == 0) {
          return Fail("missing protocol scheme");
        }
        url_.scheme = rest_.substr(0, i);
        std::transform(url_.scheme.begin(), url_.scheme.end(), url_.scheme.begin(),
                       [](char l) { return l >= 'A' && l <= 'Z' ? static_cast<char>(l + 32) : l; });
        rest_.remove_prefix(i + 1);
        return Status::Ok();
      }
      if (!IsLetter(c) && (i == 0 || (!IsDigit(c) && !In("+-.", c)))) {
        break;
      }
    }
    return Status::Ok();
  }

  Result<Url> Rootless() {
    if (!url_.scheme.empty()) {
      url_.opaque = rest_;
      return std::move(url_);
    }
    if (request_) {
      return Fail("invalid URI for request");
    }
    if (rest_.substr(0, rest_.find('/')).find(':') != std::string_view::npos) {
      return Fail("first path segment in URL cannot contain colon");
    }
    RETURN_IF_ERROR(Path());
    return std::move(url_);
  }

  Status Authority() {
    const bool has = rest_.starts_with("//") &&
                     (!url_.scheme.empty() || (!request_ && !rest_.starts_with("///")));
    if (!has) {
      return Status::Ok();
    }
    rest_.remove_prefix(2);
    const size_t end = std::min(rest_.find('/'), rest_.size());
    std::string_view host = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (const size_t at = host.rfind('@'); at != std::string_view::npos) {
      if (!AllIn(host.substr(0, at), kUserExtra)) {
        return Fail("net/url: invalid userinfo");
      }
      host.remove_prefix(at + 1);
    }
    return Host(host);
  }

  Status Host(std::string_view host) {
    if (host.starts_with('[')) {
      const size_t close = host.rfind(']');
      if (close == std::string_view::npos) {
        return Fail("missing ']' in host");
      }
      if (!IsPort(host.substr(close + 1))) {
        return Fail(fmt::format("invalid port \"{}\" after host", host.substr(close + 1)));
      }
    } else if (const size_t colon = host.rfind(':'); colon != std::string_view::npos) {
      if (!IsPort(host.substr(colon))) {
        return Fail(fmt::format("invalid port \"{}\" after host", host.substr(colon)));
      }
    }
    const auto plain = Unescape(host);
    if (!plain.has_value()) {
      return Fail("invalid URL escape in host");
    }
    for (const char c : host) {
      if (static_cast<unsigned char>(c) < 0x80 && c != '%' && !In(kUnreserved, c) &&
          !In(kHostExtra, c)) {
        return Fail(fmt::format("invalid character \"{}\" in host name", c));
      }
    }
    url_.host = *plain;
    return Status::Ok();
  }

  Status Path() {
    const auto plain = Unescape(rest_);
    if (!plain.has_value()) {
      const std::string_view bad = rest_.substr(rest_.find('%'), 3);
      return Fail(fmt::format("invalid URL escape \"{}\"", bad));
    }
    url_.path = AllIn(rest_, kPathExtra) ? std::string(rest_) : EscapePath(*plain);
    return Status::Ok();
  }

  std::string_view text_;
  std::string_view rest_;
  bool request_;
  Url url_;
};

}  // namespace

Result<Url> ParseRequestUri(std::string_view text) { return UrlParser(text, true).Run(); }
Result<Url> ParseUrl(std::string_view text) { return UrlParser(text, false).Run(); }

std::string_view HostName(const Url& url) {
  const std::string_view host = url.host;
  if (host.starts_with('[')) {
    return host.substr(1, host.rfind(']') - 1);
  }
  return host.substr(0, host.rfind(':'));
}

std::string_view Port(const Url& url) {
  const std::string_view host = url.host;
  const size_t colon = host.rfind(':');
  const size_t close = host.rfind(']');
  const bool has =
      colon != std::string_view::npos && (close == std::string_view::npos || colon > close);
  return has ? host.substr(colon + 1) : "";
}

std::map<std::string, std::vector<std::string>> Query(const Url& url) {
  std::map<std::string, std::vector<std::string>> values;
  for (const std::string_view pair : Split(url.query, '&')) {
    if (pair.empty() || pair.find(';') != std::string_view::npos) {
      continue;
    }
    const size_t equals = std::min(pair.find('='), pair.size());
    const auto name = Unescape(pair.substr(0, equals), true);
    const auto value = Unescape(pair.substr(std::min(equals + 1, pair.size())), true);
    if (name.has_value() && value.has_value()) {
      values[*name].push_back(*value);
    }
  }
  return values;
}

}  // namespace hearth::cel::internal
