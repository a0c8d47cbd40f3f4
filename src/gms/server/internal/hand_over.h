#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gms/protocol/messages.h"
#include "gms/server/internal/connection.h"
#include "gms/server/internal/domain_service.h"
#include "gms/server/internal/server_state.h"

namespace hearth::gms::server {

// The predecessor's side of a hand-over: everything stands still while what is committed or sealed
// goes to the successor, with descriptors. When the successor says it has all, this server's
// sockets are removed; when it says that it serves, this server ends. Leases end with it, and
// clients find the successor when they reconnect. When the successor is gone before that, whenever
// it is, or does not get on with what is sent, everything goes on as if nothing had been: at each
// moment one of both has the memory and can serve it.
class HandOver {
 public:
  // kFenceConflict while a checkpoint is being taken; kAlreadyExists when another one is under way.
  static Result<std::unique_ptr<HandOver>> Begin(ServerState& state, Connection& connection);
  ~HandOver();
  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;

  // The successor has all. kInvalid before everything was sent, or when that was said already;
  // kUnavailable when the successor is gone.
  Status Done();
  // The successor serves. kInvalid before Done.
  Status Taken();

 private:
  struct Part {
    DeviceDomains* device;
    DomainService* service;
    uint64_t generation;
  };
  HandOver(ServerState& state, Connection& connection);
  void SendNext();
  void SendSome(Part part);
  bool AddMetadata(const Layout& layout, HandOverResponse& response);
  void SendLast();
  void GiveUp(const Status& why);

  ServerState& state_;
  Connection& connection_;
  std::vector<Part> parts_;
  size_t part_ = 0;
  size_t allocation_ = 0;
  std::optional<std::string> last_key_;  // of the metadata that was sent
  bool sent_ = false;
  bool done_ = false;   // the sockets are gone
  bool taken_ = false;  // and the successor has made its own
  EpollLoop::TimerId limit_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace hearth::gms::server
