#include "base/internal/log_line.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <variant>

#include "base/internal/utf8.h"

namespace hearth::internal {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct LevelNames {
  std::string_view text;  // as wide as the others, so that messages line up
  std::string_view json;  // as ParseLogLevel takes it
};
constexpr std::array<LevelNames, 5> kLevels = {{{"DEBUG", "debug"},
                                                {"INFO ", "info"},
                                                {"WARN ", "warning"},
                                                {"ERROR", "error"},
                                                {"OFF  ", "off"}}};

// The escape of an ASCII character as JSON has it; nothing when it stands for itself.
std::string EscapeOf(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  const auto byte = static_cast<uint8_t>(c);
  return byte < 0x20 || byte == 0x7F ? fmt::format("\\u{:04x}", byte) : std::string();
}

void AppendEscaped(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 0) {
      out += kReplacement;
    } else if (const std::string escape = length == 1 ? EscapeOf(text[0]) : ""; !escape.empty()) {
      out += escape;
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

void AppendQuoted(std::string_view text, std::string& out) {
  out += '"';
  AppendEscaped(text, out);
  out += '"';
}

// A value that a reader could not tell from what stands around it.
bool NeedsQuotes(std::string_view text) {
  constexpr std::string_view kConfusing = " =\"\\";
  const auto confuses = [&](char c) {
    return kConfusing.find(c) != std::string_view::npos || !EscapeOf(c).empty();
  };
  for (char c : text) {
    if (confuses(c)) {
      return true;
    }
  }
  return text.empty();
}

void AppendValue(LogFormat format, std::string_view value, std::string& out) {
  if (format == LogFormat::kJson || NeedsQuotes(value)) {
    AppendQuoted(value, out);
  } else {
    AppendEscaped(value, out);
  }
}

void AppendValue(LogFormat format, double value, std::string& out) {
  // JSON has no infinities.
  if (format == LogFormat::kJson && !std::isfinite(value)) {
    AppendQuoted(fmt::format("{}", value), out);
  } else {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
}

// Exactly these, so that a string cannot become a bool on the way.
template <typename T>
requires std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t> || std::is_same_v<T, bool>
void AppendValue(LogFormat /*format*/, T value, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", value);
}

// 2026-11-15T22:11:52.123Z
std::string Timestamp(WallTime time) {
  const auto millis = std::chrono::floor<std::chrono::milliseconds>(time);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(millis);
  const std::time_t unix_time = seconds.time_since_epoch().count();
  std::tm utc{};
  ::gmtime_r(&unix_time, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     (millis - seconds).count());
}

}  // namespace

void AppendLogField(LogFormat format, const LogField& field, std::string& out) {
  if (format == LogFormat::kJson) {
    out += ',';
    AppendQuoted(field.key, out);
    out += ':';
  } else {
    out += ' ';
    AppendEscaped(field.key, out);
    out += '=';
  }
  std::visit([&](const auto& value) { AppendValue(format, value, out); }, field.value);
}

std::string LogLine(LogFormat format, WallTime time, LogLevel level, std::string_view message,
                    std::string_view fields) {
  const LevelNames& names = kLevels.at(static_cast<size_t>(level));
  std::string escaped;
  AppendEscaped(message, escaped);
  if (format == LogFormat::kJson) {
    return fmt::format(R"({{"ts":"{}","level":"{}","msg":"{}"{}}})"
                       "\n",
                       Timestamp(time), names.json, escaped, fields);
  }
  return fmt::format("{} {} {}{}\n", Timestamp(time), names.text, escaped, fields);
}

}  // namespace hearth::internal
