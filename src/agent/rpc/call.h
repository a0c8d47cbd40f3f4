#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "base/wait_limit.h"

namespace hearth::agent::rpc {

// A server behind a unix socket. Connects when first used, and again when it was lost. Thread-safe.
// For sources that speak gRPC: its headers come along.
class UnixServer {
 public:
  // `connect`: how long it may take until a server that is there has answered.
  UnixServer(const std::string& socket, Clock& clock, Duration connect = std::chrono::seconds(2));

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  // Gives a connection that is not there the time to come about, but not more; none at all where no
  // socket is. gRPC gets on with connecting only while somebody waits: calls that fail at once
  // leave it to a look every five seconds.
  void AwaitConnection(const WaitLimit& limit) const;

 private:
  std::string socket_;
  Clock& clock_;
  Duration connect_;
  std::shared_ptr<grpc::Channel> channel_;
};

// What a call or a stream came to, in our codes, with `what` in front; not for success. A limit
// that is over comes before what the server says. A server that is not there is kUnavailable, one
// that does not know the method kUnsupported.
Status Translate(const grpc::Status& status, const WaitLimit& limit, const Clock& clock,
                 std::string_view what);

// One call: it ends with its own timeout, with the caller's limit, or when the caller is stopped.
// Lives as long as the call; not thread-safe.
class Call {
 public:
  Call(const WaitLimit& limit, Duration timeout, Clock& clock);

  grpc::ClientContext& context() { return context_; }
  // As Translate tells it, and ok. A server that does not answer in time is kUnavailable.
  Status Outcome(const grpc::Status& status, std::string_view what) const;

 private:
  WaitLimit limit_;
  Duration timeout_;
  Clock& clock_;
  bool ends_with_limit_;  // before its own timeout
  grpc::ClientContext context_;
  std::stop_callback<std::function<void()>> cancel_;
};

}  // namespace hearth::agent::rpc
