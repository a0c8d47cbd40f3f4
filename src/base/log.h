#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace hearth {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };
enum class LogFormat { kText, kJson };

Result<LogLevel> ParseLogLevel(std::string_view text);    // debug info warning error off
Result<LogFormat> ParseLogFormat(std::string_view text);  // text json

// One named value of a log line.
struct LogField {
  using Value = std::variant<std::string_view, int64_t, uint64_t, double, bool>;

  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(std::string_view(v)) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(std::string_view(v)) {}
  LogField(std::string_view k, bool v) : key(k), value(v) {}
  LogField(std::string_view k, int v) : key(k), value(static_cast<int64_t>(v)) {}
  LogField(std::string_view k, long v) : key(k), value(static_cast<int64_t>(v)) {}
  LogField(std::string_view k, long long v) : key(k), value(static_cast<int64_t>(v)) {}
  LogField(std::string_view k, unsigned v) : key(k), value(static_cast<uint64_t>(v)) {}
  LogField(std::string_view k, unsigned long v) : key(k), value(static_cast<uint64_t>(v)) {}
  LogField(std::string_view k, unsigned long long v) : key(k), value(static_cast<uint64_t>(v)) {}
  LogField(std::string_view k, double v) : key(k), value(v) {}

  std::string_view key;
  Value value;
};

// Receives finished lines, newline included. Production writes to stderr through spdlog.
// Thread-safe.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void Write(LogLevel level, std::string_view line) = 0;
};

// Waits for whoever reads stderr only for a moment: lines that find no room are lost, and counted
// in the next that does.
std::shared_ptr<LogSink> StderrSink();

// Writes lines of a message and named fields: for people
//   2026-11-15T22:11:52.123Z INFO  synced kind=Pod objects=6000
// or, for machines, one JSON object a line with "ts", "level", "msg" and the fields. A cheap
// handle: copy it, bind fields with With. Thread-safe.
class Logger {
 public:
  Logger();  // stderr, text, info
  Logger(std::shared_ptr<LogSink> sink, LogFormat format, LogLevel level);
  static Logger Null();

  // The same with these fields on every line.
  Logger With(std::initializer_list<LogField> fields) const;
  bool Enabled(LogLevel level) const { return level >= level_; }

  void Debug(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void Info(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void Warning(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void Error(std::string_view message, std::initializer_list<LogField> fields = {}) const;

 private:
  void Write(LogLevel level, std::string_view message,
             std::initializer_list<LogField> fields) const;

  std::shared_ptr<LogSink> sink_;
  LogFormat format_ = LogFormat::kText;
  LogLevel level_ = LogLevel::kInfo;
  std::string bound_;  // fields of With, rendered for format_
};

}  // namespace hearth
