#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>

#include "base/log.h"

namespace hearth::gms {

// Gathers log lines and lets a test wait for one.
class LogSignal : public LogSink {
 public:
  void Write(LogLevel /*level*/, std::string_view line) override {
    std::lock_guard lock(mutex_);
    text_ += line;
    changed_.notify_all();
  }
  // Blocks until a line has these words.
  void Await(std::string_view words) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return text_.find(words) != std::string::npos; });
  }
  std::string text() {
    std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
};

}  // namespace hearth::gms
