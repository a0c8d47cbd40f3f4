#include "base/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <utility>

#include "base/internal/line_writer.h"
#include "base/internal/log_line.h"
#include "base/strings.h"

namespace hearth {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

// Where spdlog's lines go.
class LineSink : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    writer_.Write(std::string_view(message.payload.data(), message.payload.size()));
  }
  void flush_() override {}

 private:
  internal::LineWriter writer_{STDERR_FILENO};
};

class SpdlogSink : public LogSink {
 public:
  SpdlogSink() : logger_("", std::make_shared<LineSink>()) {
    logger_.set_level(spdlog::level::trace);
  }

  void Write(LogLevel level, std::string_view line) override {
    logger_.log(ToSpdlog(level), spdlog::string_view_t(line.data(), line.size()));
  }

 private:
  spdlog::logger logger_;
};

}  // namespace

Result<LogLevel> ParseLogLevel(std::string_view text) {
  constexpr std::pair<std::string_view, LogLevel> kNames[] = {{"debug", LogLevel::kDebug},
                                                              {"info", LogLevel::kInfo},
                                                              {"warning", LogLevel::kWarning},
                                                              {"error", LogLevel::kError},
                                                              {"off", LogLevel::kOff}};
  for (const auto& [name, level] : kNames) {
    if (text == name) {
      return level;
    }
  }
  return InvalidError("log level '" + Excerpt(text, 40) +
                      "': must be debug, info, warning, error or off");
}

Result<LogFormat> ParseLogFormat(std::string_view text) {
  if (text == "text") {
    return LogFormat::kText;
  }
  if (text == "json") {
    return LogFormat::kJson;
  }
  return InvalidError("log format '" + Excerpt(text, 40) + "': must be text or json");
}

std::shared_ptr<LogSink> StderrSink() {
  // One for the process, so that lines of all loggers come out whole.
  static const std::shared_ptr<LogSink> sink = std::make_shared<SpdlogSink>();
  return sink;
}

Logger::Logger() : Logger(StderrSink(), LogFormat::kText, LogLevel::kInfo) {}

Logger::Logger(std::shared_ptr<LogSink> sink, LogFormat format, LogLevel level)
    : sink_(std::move(sink)), format_(format), level_(level) {}

Logger Logger::Null() { return {nullptr, LogFormat::kText, LogLevel::kOff}; }

Logger Logger::With(std::initializer_list<LogField> fields) const {
  Logger bound = *this;
  for (const LogField& field : fields) {
    internal::AppendLogField(format_, field, bound.bound_);
  }
  return bound;
}

void Logger::Debug(std::string_view message, std::initializer_list<LogField> fields) const {
  Write(LogLevel::kDebug, message, fields);
}

void Logger::Info(std::string_view message, std::initializer_list<LogField> fields) const {
  Write(LogLevel::kInfo, message, fields);
}

void Logger::Warning(std::string_view message, std::initializer_list<LogField> fields) const {
  Write(LogLevel::kWarning, message, fields);
}

void Logger::Error(std::string_view message, std::initializer_list<LogField> fields) const {
  Write(LogLevel::kError, message, fields);
}

void Logger::Write(LogLevel level, std::string_view message,
                   std::initializer_list<LogField> fields) const {
  if (!Enabled(level) || sink_ == nullptr) {
    return;
  }
  std::string rendered = bound_;
  for (const LogField& field : fields) {
    internal::AppendLogField(format_, field, rendered);
  }
  // The machine's clock and no other: a stamp decides nothing, and a logger is needed before there
  // is a graph of objects.
  const WallTime now = std::chrono::system_clock::now();
  sink_->Write(level, internal::LogLine(format_, now, level, message, rendered));
}

}  // namespace hearth
