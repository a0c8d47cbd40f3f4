#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "http/message.h"
#include "kube/client/transport.h"

namespace hearth::agent::node {

// The connection of an agent that can be killed between any two of its writes: what a dead process
// would send does not arrive. Watches go on; nobody acts on them. Thread-safe.
class MortalTransport : public kube::Transport {
 public:
  explicit MortalTransport(kube::Transport& real) : real_(real) {}

  // Asked before and after each write but events and heartbeats: "before PATCH /api/v1/...". Once
  // it says no everything is refused. Before anything is sent.
  void OnStep(std::function<bool(const std::string& step)> may_live) {
    may_live_ = std::move(may_live);
  }
  void Die() { dead_ = true; }
  void Revive() { dead_ = false; }  // a network that comes back

  Result<http::Response> Send(http::Request request, const WaitLimit& limit) override;
  std::unique_ptr<http::Stream> Start(http::Request request, http::StreamHandler& handler,
                                      const http::StreamOptions& options) override {
    return real_.Start(std::move(request), handler, options);
  }
  net::EventLoop& loop() override { return real_.loop(); }

 private:
  bool Lives(const std::string& step);

  kube::Transport& real_;
  std::function<bool(const std::string&)> may_live_;
  std::atomic<bool> dead_ = false;
};

}  // namespace hearth::agent::node
