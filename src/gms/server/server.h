#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "gms/server/options.h"

namespace hearth::gms::server {

// The memory service: all devices, both domains of each, and the administration, on one thread.
//
//   ASSIGN_OR_RETURN(auto server, Server::Create(options, std::move(devices), log));
//   RETURN_IF_ERROR(server->Listen());
//   Status why = server->Run();
//
// Whatever a client does or a driver says ends at most the session; a listener that breaks ends the
// server. Sockets are removed when it goes.
class Server {
 public:
  // kInvalid for options that contradict each other.
  static Result<std::unique_ptr<Server>> Create(ServerOptions options,
                                                std::vector<DeviceSetup> devices, Logger log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Before Listen: takes what the server that has our domains now has committed. That one stands
  // still until Listen, and ends with it; others in the folder go on. On failure it goes on, too,
  // as it does when this one ends without Listen, and this one is to be dropped.
  // kInvalid when it serves something that we do not, kNotFound when all servers of the folder have
  // other domains, kConflict when several have ours, or when we could not listen after it has gone.
  Status TakeOver(const WaitLimit& limit);

  // All sockets, with the links and the administration's last: when that one is there, all are. It
  // has a name of our own where another server with other domains has the usual one.
  // kConflict, "GMS already running at ...", when another one has one of our domains; also when
  // one that lives has the number of a device of ours, and links by numbers are wanted.
  // kCancelled after TakeOver, when StopOn's descriptor says to stop before the other was told that
  // it may end: it goes on when this one is dropped.
  Status Listen();
  // Until Stop, until a successor has taken over (both ok), or until a listener breaks.
  Status Run();
  // From any thread.
  void Stop();
  // Calls Stop when the descriptor polls readable: a signalfd. It must outlive the server.
  void StopOn(int fd);

  std::vector<std::string> SocketPaths() const;

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::gms::server
