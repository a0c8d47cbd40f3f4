#pragma once

#include <mutex>
#include <string_view>

#include "http/client.h"
#include "net/event_loop.h"

namespace hearth::kube::internal {

// The way to a StreamHandler, with what http::Stream promises about it: calls on the loop only,
// OnEnd once and last, and none after it was cut off. Head, Data and End on the loop; CutOff on any
// thread.
class HandlerGate {
 public:
  HandlerGate(net::EventLoop& loop, http::StreamHandler& handler)
      : loop_(loop), handler_(&handler) {}

  void Head(http::Response head);
  void Data(std::string_view bytes, size_t capacity);
  void End(const Status& status);
  // Waits for a call that is under way, unless it is further up this very stack.
  void CutOff();

 private:
  net::EventLoop& loop_;
  std::mutex mutex_;              // held during calls
  http::StreamHandler* handler_;  // null once ended or cut off
};

}  // namespace hearth::kube::internal
