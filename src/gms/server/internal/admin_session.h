#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gms/protocol/codec.h"
#include "gms/server/internal/connection.h"
#include "gms/server/internal/server_state.h"

namespace hearth::gms::server {

class HandOver;

// A connection to the administration's socket: any number of requests, each answered at once but
// for a hand-over, which is a conversation. On the loop only.
class AdminSession {
 public:
  AdminSession(ServerState& state, UniqueFd socket, Peer peer, std::function<void()> ended);
  ~AdminSession();
  AdminSession(const AdminSession&) = delete;
  AdminSession& operator=(const AdminSession&) = delete;

  Connection& connection() { return connection_; }

 private:
  void OnFrame(std::string_view payload);
  Status Answer(const Document& document);
  Status Evict(const Document& document);
  template <typename M>
  void Reply(const M& message) {
    connection_.Send(EncodeFrame(message));
  }

  ServerState& state_;
  std::function<void()> ended_;
  std::unique_ptr<HandOver> hand_over_;
  Connection connection_;
};

// Everything there is to know, as `status` tells it.
StatusResponse DescribeServer(ServerState& state);

}  // namespace hearth::gms::server
