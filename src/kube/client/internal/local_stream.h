#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "http/client.h"
#include "http/server.h"
#include "kube/client/internal/handler_gate.h"
#include "net/event_loop.h"

namespace hearth::kube::internal {

// One request into a handler of this process whose answer is handed on while it is written. What
// waits for the loop is bounded: the writer blocks. Thread-safe; shared by the caller's Stream, the
// handler's writer and work on the loop.
class LocalStream : public std::enable_shared_from_this<LocalStream> {
 public:
  LocalStream(net::EventLoop& loop, Clock& clock, http::StreamHandler& handler,
              const http::StreamOptions& options);

  // Starts to look after the limits, and ends the stream with kCancelled when `owner_gone` is
  // requested.
  void Begin(const std::stop_token& owner_gone);
  // For the handler; ask once.
  std::unique_ptr<http::ResponseWriter> NewWriter();
  const std::stop_source& stop() const { return stop_; }

  // The caller's side, as http::Stream has it.
  void SetPaused(bool paused);
  void Abandon();
  // Ends the stream on the loop and asks the handler to stop.
  void Fail(const Status& status);

 private:
  class Writer;
  struct Piece {
    std::string bytes;  // followed by padding
    size_t size = 0;
  };

  Status PutHead(http::Response head);
  Status PutBody(std::string_view bytes, const WaitLimit& limit);
  Status PutWhole(http::Response response);
  Status PutEnd(Status status);
  void Schedule(std::unique_lock<std::mutex>& lock);
  void Deliver();
  bool DeliverPieces();
  std::optional<Piece> NextPiece();
  std::optional<Status> NextEnd();
  SteadyTime NextLimit();
  void WatchLimits();

  net::EventLoop& loop_;
  Clock& clock_;
  const http::StreamOptions options_;
  const SteadyTime head_limit_;
  HandlerGate gate_;
  std::stop_source stop_;
  std::unique_ptr<net::EventLoop::Timer> timer_;  // on the loop only
  std::optional<std::stop_callback<std::function<void()>>> owner_gone_;

  std::mutex mutex_;
  std::condition_variable taken_;
  std::optional<http::Response> head_;  // not delivered yet
  std::deque<Piece> pieces_;
  size_t waiting_bytes_ = 0;
  std::optional<Status> end_;
  SteadyTime last_arrival_;
  bool begun_ = false;
  bool scheduled_ = false;
  bool paused_ = false;
  bool over_ = false;  // nobody listens any more
};

}  // namespace hearth::kube::internal
