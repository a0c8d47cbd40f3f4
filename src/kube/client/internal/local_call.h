#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "base/clock.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "http/message.h"
#include "http/server.h"

namespace hearth::kube::internal {

// One request into a handler of this process whose whole answer somebody waits for. Thread-safe;
// shared by the one who waits and the handler's writer.
class LocalCall : public std::enable_shared_from_this<LocalCall> {
 public:
  explicit LocalCall(Clock& clock) : clock_(clock) {}

  // For the handler; ask once.
  std::unique_ptr<http::ResponseWriter> NewWriter();
  const std::stop_source& stop() const { return stop_; }

  // When the limit is over the handler is asked to stop and what it still says is lost.
  Result<http::Response> Wait(const WaitLimit& limit, std::string_view what);

 private:
  class Writer;
  Status Append(std::string_view bytes);
  Status Begin(http::Response head);
  Status End(Status status);

  Clock& clock_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable ended_;
  http::Response response_;
  bool begun_ = false;
  std::optional<Status> end_;
};

// A body that is there already.
std::unique_ptr<http::BodyReader> ReadyBody(std::string body);

}  // namespace hearth::kube::internal
