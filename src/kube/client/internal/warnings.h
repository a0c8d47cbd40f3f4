#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/seeded_hash.h"
#include "http/message.h"

namespace hearth::kube::internal {

// The texts of an answer's Warning headers with code 299, unquoted: 299 - "unknown field
// \"spec.x\"".
std::vector<std::string> ParseWarnings(const http::Headers& headers);

// Hands on each distinct warning once. Remembers a bounded number of them; after that the oldest
// knowledge is forgotten as a whole. Thread-safe; the receiver is called without a lock.
class WarningLog {
 public:
  explicit WarningLog(std::function<void(std::string_view)> receiver);
  void Note(const http::Headers& headers);

 private:
  bool IsNew(const std::string& text);

  const std::function<void(std::string_view)> receiver_;
  std::mutex mutex_;
  SeededSet<std::string> seen_;
};

}  // namespace hearth::kube::internal
