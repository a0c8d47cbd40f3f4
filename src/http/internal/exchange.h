#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/status.h"
#include "http/client.h"
#include "http/internal/inflater.h"

namespace hearth::http {

class ClientConnection;

// A request as it goes on the wire.
struct OutgoingRequest {
  std::string head;
  std::string body;
  bool only_reads = false;  // sending it twice does no harm
  bool is_head = false;     // method HEAD
  bool undo_gzip = false;   // we asked for gzip ourselves
  std::string label;        // "GET /api/v1/pods", for messages
};

// One request and its answer on the client's side: stands between the connection that moves the
// bytes and the handler. Shared by the Stream the caller holds and the pool; the handler is reached
// only through it, so that it can be cut off. On the loop only, but for the parts marked
// thread-safe.
class Exchange {
 public:
  Exchange(OutgoingRequest request, StreamHandler& handler, const StreamOptions& options);

  const OutgoingRequest& request() const { return request_; }

  // The answer, as the connection decodes it. Nothing reaches the handler once cancelled or ended.
  void TakeHead(Response head);
  void TakeBody(std::string_view bytes, size_t readable);
  // Body bytes that arrived and wait for Resume.
  bool has_held_body() const { return inflater_ != nullptr && inflater_->has_input(); }
  void DeliverHeldBody();
  // Why the body cannot be handed on, if so.
  const Status& body_failure() const { return body_failure_; }
  // Whether the body, as decoded, is whole.
  Status CheckBodyEnd() const;

  // Calls OnEnd, once.
  void Finish(const Status& status);

  // Thread-safe.
  bool ended() const { return ended_; }
  void SetPaused(bool paused) { paused_ = paused; }
  bool paused() const { return paused_; }
  void MarkCancelled() { cancelled_ = true; }
  bool cancelled() const { return cancelled_; }
  // The handler is not called after this. Waits for a call that is under way, unless called from
  // inside it.
  void Detach();

  // Time limits. The clock starts when the exchange is made; each arrival is told with Touch.
  void Touch(SteadyTime now) { last_arrival_ = now; }
  bool lasting() const { return options_.lasting; }
  Duration ask_for_life_after() const { return options_.ask_for_life_after; }
  bool limits_idle_time() const { return options_.idle_timeout != Duration::max(); }
  // When to look again; SteadyTime::max() when no limit applies at the moment.
  SteadyTime NextLimit() const;
  // kDeadlineExceeded and which one, when a limit has passed.
  Status CheckLimits(SteadyTime now) const;
  std::unique_ptr<net::EventLoop::Timer> timer;

  // Set while a connection works on it.
  ClientConnection* connection = nullptr;
  bool needs_new_connection = false;  // after a kept one turned out to be dead

 private:
  // Calls into the handler, if there still is one.
  template <typename Call>
  void CallHandler(Call call);
  void Deliver(std::string_view bytes, size_t readable);
  SteadyTime IdleLimit() const;

  const OutgoingRequest request_;
  const StreamOptions options_;
  const SteadyTime head_limit_;
  SteadyTime last_arrival_;
  bool has_head_ = false;
  std::unique_ptr<Inflater> inflater_;
  Status body_failure_;
  std::atomic<bool> paused_{false};
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> ended_{false};

  std::mutex handler_mutex_;  // held during calls into the handler
  std::atomic<std::thread::id> calling_thread_;
  StreamHandler* handler_;  // null once detached
};

}  // namespace hearth::http
