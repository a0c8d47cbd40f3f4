#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/metrics.h"

namespace hearth::gms::server {

struct ServerState;

// What the server counts. Touched on the loop only.
class ServerMetrics {
 public:
  ServerMetrics();

  void Request(std::string_view type, double seconds);
  void Error(std::string_view reason);
  void Granted(std::string_view grant, double waited_seconds);
  Counter connections, refused_connections, memory_waits, memory_wait_timeouts, evictions;

  // Prometheus text, with the state of every domain as it is now.
  std::string Expose(ServerState& state);

 private:
  Metrics metrics_;
  Histogram request_seconds_;
  std::map<std::string, Counter, std::less<>> requests_, errors_, grants_;
  Histogram wait_seconds_;
};

}  // namespace hearth::gms::server
