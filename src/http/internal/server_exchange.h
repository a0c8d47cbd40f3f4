#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "http/internal/body_budget.h"
#include "http/internal/head_writer.h"
#include "http/server.h"

namespace hearth::http {

// What of a request decides how its answer is framed.
struct AnswerRules {
  bool to_head = false;    // method HEAD: no body
  bool http_1_0 = false;   // no chunks
  bool keep_alive = true;  // what the client wants
  bool expects_continue = false;
};

// One request and its answer on the server's side: stands between the connection, which lives on
// the loop, and the handler on its own threads. The handler's calls put bytes into queues and poke
// the loop; the loop takes them out. Thread-safe.
class ServerExchange : public std::enable_shared_from_this<ServerExchange> {
 public:
  // Bytes waiting in one direction before the faster side is held back.
  static constexpr size_t kQueueLimit = 64 << 10;

  explicit ServerExchange(const AnswerRules& rules);

  // --- The loop's side.
  // `poke` must make the loop call TakeOutgoing soon. It is called with a lock held and does
  // nothing else.
  void SetPoke(std::function<void()> poke);
  // What the request's body takes stays taken as long as this lives. Before the handler has it.
  void Keep(std::shared_ptr<BodyBudget::Share> share) { share_ = std::move(share); }
  struct Outgoing {
    std::deque<std::string> pieces;
    bool send_continue = false;  // before the pieces
    bool finished = false;       // nothing follows
    bool close = false;          // the connection cannot be used after this answer
    bool aborted = false;        // the answer stays unfinished: close now
  };
  Outgoing TakeOutgoing();
  void OnWritten(size_t bytes);
  void PushBody(std::string_view bytes);
  bool WantsBody() const;
  // The body is complete, or will never be.
  void EndBody(const Status& status);
  // The client is gone, or the server stops: asks the handler to stop. Whole answers may still be
  // tried.
  void OnHangUp();
  void RequestStop() { stop_.request_stop(); }
  void CloseAfterAnswer();
  // The connection is done with this exchange: every call fails from now on.
  void Detach();

  // --- The handler's side, see ResponseWriter and BodyReader.
  Status Send(Response response);
  Status Begin(const Response& head);
  Status Write(std::string_view bytes, const WaitLimit& limit);
  Status Finish();
  void Abandon();
  Result<std::string> ReadBody(const WaitLimit& limit);
  std::stop_token stop() const { return stop_.get_token(); }

 private:
  enum class Phase { kNotBegun, kStreaming, kFinished };

  // All with the lock held.
  void PokeLoop();
  AnswerFraming Framing(const Response& head);
  Status CheckStreaming() const;
  Status CountAgainstLength(size_t bytes);
  void Queue(std::string_view bytes);
  void QueueWhole(std::string bytes);
  void QueueChunk(std::string_view bytes);
  Status Gone() const;

  const AnswerRules rules_;
  std::shared_ptr<BodyBudget::Share> share_;  // null when none
  std::stop_source stop_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> poke_;  // null once detached
  bool poked_ = false;
  bool hung_up_ = false;
  Phase phase_ = Phase::kNotBegun;
  bool bodyless_ = false;  // the answer has none, whatever is written
  bool chunked_ = false;
  std::optional<uint64_t> length_left_;
  bool close_ = false;
  bool aborted_ = false;
  std::deque<std::string> pieces_;
  size_t waiting_bytes_ = 0;  // in `pieces_` and with the connection

  std::string body_;
  bool body_ended_ = false;
  Status body_end_;
  bool continue_wanted_ = false;
};

// Both hold the exchange; the writer abandons it when it goes.
std::unique_ptr<ResponseWriter> NewResponseWriter(std::shared_ptr<ServerExchange> exchange);
std::unique_ptr<BodyReader> NewBodyReader(std::shared_ptr<ServerExchange> exchange);

}  // namespace hearth::http
