#include "http/internal/head_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iterator>

#include "base/strings.h"

namespace hearth::http {
namespace {

bool IsTokenCharacter(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kMarks.find(c) != std::string_view::npos;
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenCharacter);
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

bool IsFieldValue(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return IsControl(c) && c != '\t'; });
}

bool IsTarget(std::string_view text) {
  return (text.starts_with('/') || text == "*") &&
         std::none_of(text.begin(), text.end(), [](char c) { return IsControl(c) || c == ' '; });
}

bool IsFraming(std::string_view name) {
  return EqualIgnoreCase(name, "Content-Length") || EqualIgnoreCase(name, "Transfer-Encoding");
}

bool TakesBody(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

Status CheckFields(const Headers& headers) {
  for (const auto& [name, value] : headers.fields()) {
    if (!IsToken(name)) {
      return InvalidError(fmt::format("header name \"{}\" is not a token", Excerpt(name, 60)));
    }
    if (!IsFieldValue(value)) {
      return InvalidError(fmt::format("the value of header {} holds control characters", name));
    }
  }
  return Status::Ok();
}

Status CheckRequest(const Request& request) {
  if (!IsToken(request.method)) {
    return InvalidError(fmt::format("method \"{}\" is not a token", Excerpt(request.method, 60)));
  }
  if (!IsTarget(request.target)) {
    return InvalidError(fmt::format("target \"{}\" must begin with / and be escaped",
                                    Excerpt(request.target, 200)));
  }
  return CheckFields(request.headers);
}

void AppendField(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

void AppendDate(std::string& head) {
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  fmt::format_to(std::back_inserter(head), "Date: {}, {:02} {} {} {:02}:{:02}:{:02} GMT\r\n",
                 kDays[utc.tm_wday], utc.tm_mday, kMonths[utc.tm_mon], utc.tm_year + 1900,
                 utc.tm_hour, utc.tm_min, utc.tm_sec);
}

void AppendFraming(std::string& head, const AnswerFraming& framing) {
  if (framing.content_length) {
    AppendField(head, "Content-Length", std::to_string(*framing.content_length));
  } else if (framing.chunked) {
    AppendField(head, "Transfer-Encoding", "chunked");
  }
  if (framing.close) {
    AppendField(head, "Connection", "close");
  }
}

}  // namespace

Result<std::string> WriteRequestHead(const Request& request, std::string_view host,
                                     bool accept_gzip) {
  RETURN_IF_ERROR(CheckRequest(request));
  std::string head = fmt::format("{} {} HTTP/1.1\r\n", request.method, request.target);
  if (!request.headers.Has("Host")) {
    AppendField(head, "Host", host);
  }
  for (const auto& [name, value] : request.headers.fields()) {
    if (!IsFraming(name)) {
      AppendField(head, name, value);
    }
  }
  if (accept_gzip) {
    AppendField(head, "Accept-Encoding", "gzip");
  }
  if (!request.body.empty() || TakesBody(request.method)) {
    AppendField(head, "Content-Length", std::to_string(request.body.size()));
  }
  head += "\r\n";
  return head;
}

Result<std::string> WriteResponseHead(const Response& response, const AnswerFraming& framing) {
  if (response.status < 200 || response.status > 999) {
    return InvalidError(fmt::format("{} is not the status of an answer", response.status));
  }
  RETURN_IF_ERROR(CheckFields(response.headers));
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, StatusText(response.status));
  for (const auto& [name, value] : response.headers.fields()) {
    if (!IsFraming(name) && !EqualIgnoreCase(name, "Connection")) {
      AppendField(head, name, value);
    }
  }
  if (!response.headers.Has("Date")) {
    AppendDate(head);
  }
  AppendFraming(head, framing);
  head += "\r\n";
  return head;
}

bool HasNoBody(int status) { return status / 100 == 1 || status == 204 || status == 304; }

}  // namespace hearth::http
