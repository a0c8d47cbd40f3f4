#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "http/client.h"
#include "net/event_loop.h"

namespace hearth::node {

// What the example engine says of itself.
struct EngineState {
  std::string phase;    // "loading", "asleep", "standby", "serving"
  std::string start;    // "cold", "restored"
  std::string weights;  // "made", "found"
  std::string layout;   // hash of the weights' layout
};

// Talks to an example engine in a pod.
class EngineTalk {
 public:
  // Must go before the loop.
  EngineTalk(net::EventLoop& loop, const std::string& address, uint16_t port);

  // kUnavailable while nobody listens.
  Result<EngineState> State();
  // So many letters. kUnavailable while it does not serve.
  static constexpr int kLetters = 24;
  Result<std::string> Complete(const std::string& prompt);

 private:
  http::Client client_;
};

}  // namespace hearth::node
