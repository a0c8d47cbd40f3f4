#include <utility>

#include "kube/client/internal/local_call.h"
#include "kube/client/internal/local_stream.h"
#include "kube/client/internal/task_threads.h"
#include "kube/client/internal/unanswered.h"
#include "kube/client/transport.h"

namespace hearth::kube {
namespace {

using internal::LocalCall;
using internal::LocalStream;

// Watches may hold a thread each for as long as they last.
constexpr size_t kMaxThreads = 1024;

class LocalStreamHandle : public http::Stream {
 public:
  explicit LocalStreamHandle(std::shared_ptr<LocalStream> stream) : stream_(std::move(stream)) {}
  ~LocalStreamHandle() override { stream_->Abandon(); }
  void Cancel() override { stream_->Fail(CancelledError("the request was cancelled")); }
  void Pause() override { stream_->SetPaused(true); }
  void Resume() override { stream_->SetPaused(false); }

 private:
  const std::shared_ptr<LocalStream> stream_;
};

class HandlerTransport : public Transport {
 public:
  HandlerTransport(net::EventLoop& loop, http::StreamingHandler handler, Clock& clock)
      : loop_(loop), handler_(std::move(handler)), clock_(clock) {}
  ~HandlerTransport() override { going_.request_stop(); }

  Result<http::Response> Send(http::Request request, const WaitLimit& limit) override {
    const std::string what = request.method + " " + request.target;
    auto call = std::make_shared<LocalCall>(clock_);
    Run(std::move(request), call->stop(), call->NewWriter());
    return call->Wait(limit, what);
  }

  std::unique_ptr<http::Stream> Start(http::Request request, http::StreamHandler& handler,
                                      const http::StreamOptions& options) override {
    auto stream = std::make_shared<LocalStream>(loop_, clock_, handler, options);
    stream->Begin(going_.get_token());
    Run(std::move(request), stream->stop(), stream->NewWriter());
    return std::make_unique<LocalStreamHandle>(std::move(stream));
  }

  net::EventLoop& loop() override { return loop_; }

 private:
  // std::function must be copyable, so what moves into a task is shared.
  struct Work {
    http::ServerRequest request;
    std::unique_ptr<http::ResponseWriter> writer;
  };

  void Run(http::Request message, const std::stop_source& caller_stop,
           std::unique_ptr<http::ResponseWriter> writer) {
    auto work = std::make_shared<Work>();
    work->request.body = internal::ReadyBody(std::exchange(message.body, ""));
    work->request.message = std::move(message);
    work->request.peer.address = "in-process";
    work->request.stop = caller_stop.get_token();
    work->writer = std::move(writer);
    threads_.Run([this, work, caller_stop](const std::stop_token& stop) mutable {
      const std::stop_callback forward(stop, [&] { caller_stop.request_stop(); });
      if (!stop.stop_requested()) {
        Handle(*work);
      }
    });
  }

  // A handler that throws hurts only its own request: the writer goes with it and answers.
  void Handle(Work& work) {
    try {
      handler_(std::move(work.request), std::move(work.writer));
    } catch (...) {
      work.writer = nullptr;
    }
  }

  net::EventLoop& loop_;
  const http::StreamingHandler handler_;
  Clock& clock_;
  std::stop_source going_;
  internal::TaskThreads threads_{"handler", kMaxThreads};
};

}  // namespace

std::unique_ptr<Transport> MakeHandlerTransport(net::EventLoop& loop,
                                                http::StreamingHandler handler, Clock& clock) {
  return std::make_unique<HandlerTransport>(loop, std::move(handler), clock);
}

}  // namespace hearth::kube
