#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "net/event_loop.h"

namespace hearth::demo {

// Speaks to an engine of examples/engine over its socket, with a connection for each request: none
// is open while it is captured. Blocking; not thread-safe.
class EngineClient {
 public:
  // Waits no longer than until `stop`.
  EngineClient(net::EventLoop& loop, std::string socket, std::stop_token stop)
      : loop_(loop), socket_(std::move(socket)), stop_(std::move(stop)) {}

  // Until it serves, or until `possible` says why it never will.
  Status AwaitServing(const std::function<Status()>& possible);
  // The text that it makes of a prompt.
  Result<std::string> Complete(const std::string& prompt);
  Status Sleep() { return Post("/sleep"); }
  Status Wake() { return Post("/wake"); }
  // How much it has answered, and a digest of all of it: both only in the process.
  struct State {
    int64_t requests = 0;
    std::string digest;
    std::string phase;
    friend bool operator==(const State&, const State&) = default;
  };
  Result<State> Ask();

 private:
  Status Post(const std::string& target);
  Result<std::string> Send(const std::string& method, const std::string& target,
                           const std::string& body);

  net::EventLoop& loop_;
  std::string socket_;
  std::stop_token stop_;
};

}  // namespace hearth::demo
