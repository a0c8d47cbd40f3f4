#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "base/check.h"
#include "kube/client/transport.h"
#include "net/event_loop.h"

namespace hearth::controller {

// A transport for clients that only send: a function decides what becomes of each request, on the
// caller's thread.
class DirectTransport : public kube::Transport {
 public:
  using OnSend =
      std::function<Result<http::Response>(const http::Request& request, const WaitLimit& limit)>;
  explicit DirectTransport(OnSend on_send) : on_send_(std::move(on_send)) {}

  Result<http::Response> Send(http::Request request, const WaitLimit& limit) override {
    return on_send_(request, limit);
  }
  std::unique_ptr<http::Stream> Start(http::Request request, http::StreamHandler&,
                                      const http::StreamOptions&) override {
    CHECK(false) << "a stream was started where none is expected: " << request.target;
    return nullptr;
  }
  net::EventLoop& loop() override {
    if (loop_ == nullptr) {
      loop_ = std::make_unique<net::EventLoop>("test");
    }
    return *loop_;
  }

 private:
  OnSend on_send_;
  std::unique_ptr<net::EventLoop> loop_;
};

}  // namespace hearth::controller
