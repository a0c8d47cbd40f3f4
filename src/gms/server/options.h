#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "gms/core/domain.h"
#include "gms/device/device.h"
#include "gms/server/access_policy.h"

namespace hearth::gms::server {

struct DeviceSetup {
  std::unique_ptr<Device> device;
  // Making and exporting memory takes microseconds, so that the loop may do it itself. Else the
  // device gets a thread.
  bool quick = false;
};

// What a client's connection may take.
struct ConnectionLimits {
  // How long an answer may lie without any of it being fetched. Then the client has failed, or
  // others have who keep the kernel from taking its descriptors.
  Duration answer_timeout = std::chrono::seconds(30);
  // How long a request may take to arrive, from its first byte on, while it is read.
  Duration request_timeout = std::chrono::seconds(30);
  // How long the answers to a client that was told to go, or sends no more, may lie unfetched.
  Duration linger = std::chrono::seconds(5);
  // Descriptors on their way to one client at most; more go when it has fetched them. Fewer when
  // many are on their way to others, which the kernel counts together (fd_traffic.h).
  // 0: 4096, and no more than a sixteenth of the limit of open files.
  size_t unfetched_fds = 0;
};

struct ServerOptions {
  std::string directory;  // of the sockets; must be there
  // Of each device: weights, kv_cache. The fence spans both whichever are served.
  std::vector<std::string> tags = {"weights", "kv_cache"};
  // Instead of the usual name; with one device and one tag only.
  std::string socket_path;
  // Links under the devices' numbers beside the sockets. Servers whose devices have the same
  // number, as containers that see one each, can share a folder only without.
  bool ordinal_links = true;
  // Empty: made from the directory, and from what is served where another server is there already.
  std::string admin_path;

  AccessPolicy access = AccessPolicy::ForThisProcess();
  // And no more than half of the files that may be open. Of one process, or of all of one user that
  // we cannot number: 0: a quarter of that, and 16 in any case.
  size_t max_connections = 4096;
  size_t max_connections_of_one = 0;
  Duration handshake_timeout = std::chrono::seconds(10);
  ConnectionLimits connection;
  // For requests of which only a part has arrived, of all clients together; who needs more ends.
  size_t unfinished_bytes = 256U << 20;

  Duration alloc_retry_interval = std::chrono::milliseconds(500);
  Duration alloc_retry_timeout = std::chrono::seconds(60);
  DomainOptions domain;
  // How long a sealed layout whose writer's process still runs is kept from other processes: work
  // that it gave to the device may not be over. 0: not at all.
  Duration adopt_quarantine = std::chrono::seconds(2);
  // A successor that has not taken over by then is given up, and everything goes on. Longer than a
  // successor tries.
  Duration hand_over_limit = std::chrono::seconds(90);

  std::string version = "0";
};

}  // namespace hearth::gms::server
