#pragma once

#include <memory>
#include <mutex>
#include <stop_token>

#include "http/client.h"
#include "kube/client/internal/handler_gate.h"
#include "kube/client/internal/server_access.h"
#include "kube/client/internal/task_threads.h"
#include "net/event_loop.h"

namespace hearth::kube::internal {

// A streaming request whose credentials may have to be fetched first, and which goes once more when
// they are refused. Stands between the HTTP client's stream and the caller's handler. Made with
// std::make_shared; whoever holds its Stream keeps it alive. `access` is used by Begin and by tasks
// on `threads` only; threads must be stopped before it goes.
class SignedStream : public http::StreamHandler, public std::enable_shared_from_this<SignedStream> {
 public:
  SignedStream(net::EventLoop& loop, ServerAccess& access, std::shared_ptr<TaskThreads> threads,
               http::Request request, http::StreamHandler& handler,
               const http::StreamOptions& options);

  void Begin();
  // As http::Stream has them.
  void Cancel();
  void SetPaused(bool paused);
  void Abandon();

  void OnHead(http::Response head) override;
  void OnData(std::string_view bytes, size_t capacity) override;
  void OnEnd(Status status) override;

 private:
  using Standing = ServerAccess::Standing;

  template <typename Fetch>
  void RunOffLoop(Fetch fetch);
  WaitLimit LimitOfFetch() const;
  void Launch(const Standing& standing);
  void TryAgain(const Status& refusal);
  void EndSoon(Status status);
  void GiveRefusal(const Status& end);

  net::EventLoop& loop_;
  ServerAccess& access_;
  const std::shared_ptr<TaskThreads> threads_;
  const http::Request request_;
  const http::StreamOptions options_;
  const bool may_change_;  // whether another try may go with other credentials
  HandlerGate gate_;
  std::stop_source stop_;

  // On the loop only.
  bool retried_ = false;
  bool holding_ = false;  // an answer of 401 is held back
  http::Response held_;

  std::mutex mutex_;
  Standing standing_;                     // of the request under way
  std::unique_ptr<http::Stream> stream_;  // null while the credentials are fetched
  bool paused_ = false;
  bool over_ = false;  // cancelled or abandoned: nothing is launched any more
};

std::unique_ptr<http::Stream> StartSigned(net::EventLoop& loop, ServerAccess& access,
                                          std::shared_ptr<TaskThreads> threads,
                                          http::Request request, http::StreamHandler& handler,
                                          const http::StreamOptions& options);

}  // namespace hearth::kube::internal
