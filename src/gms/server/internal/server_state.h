#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "gms/core/lease.h"
#include "gms/server/internal/epoll_loop.h"
#include "gms/server/internal/fd_traffic.h"
#include "gms/server/internal/server_metrics.h"
#include "gms/server/internal/unfinished_requests.h"
#include "gms/server/options.h"

namespace hearth::gms::server {

class DeviceDomains;
class Session;

// What all sessions share. Lives as long as the server; touched on the loop only.
struct ServerState {
  EpollLoop& loop;
  FdTraffic& traffic;
  UnfinishedRequests& unfinished;
  const ServerOptions& options;
  Logger log;
  ServerMetrics metrics;
  std::string nonce;  // of this server and of those that it took over from
  SteadyTime started;
  // Shared with what a session has under way, which holds it weakly and finds out that it is gone.
  std::map<SessionId, std::shared_ptr<Session>> sessions;
  std::vector<std::unique_ptr<DeviceDomains>> devices;
  // A successor is taking over; it has all: remove the sockets; it serves: end; it has ended before
  // it did: make the sockets again and go on.
  bool handing_over = false;
  std::function<void()> remove_sockets;
  std::function<void()> handed_over;
  std::function<void()> serve_again;
  // Everybody but the administration stands still, or goes on.
  std::function<void(bool)> pause;
};

// Version 4, from the kernel's randomness.
std::string NewUuid();

}  // namespace hearth::gms::server
