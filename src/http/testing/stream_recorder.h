#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/wait_limit.h"
#include "http/client.h"

namespace hearth::http {

// Writes down what a stream delivers, and lets a test wait for it. Thread-safe.
class StreamRecorder : public StreamHandler {
 public:
  void OnHead(Response head) override;
  void OnData(std::string_view bytes, size_t capacity) override;
  void OnEnd(Status status) override;

  // Each waits for at most ten seconds; false or kDeadlineExceeded then.
  bool AwaitHead();
  bool AwaitData(size_t bytes);
  Status AwaitEnd();

  Response head() const;
  std::string data() const;
  size_t data_size() const;
  bool ended() const;

 private:
  template <typename Condition>
  bool Await(Condition condition);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Response> head_;
  std::string data_;
  std::optional<Status> end_;
};

}  // namespace hearth::http
