#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace hearth::gms::server {

struct ServerState;

// How many observations were at most as large as each bound; the last one counts all.
class LatencyHistogram {
 public:
  // From a microsecond to about a minute, each four times the one before.
  static constexpr std::array<double, 14> kBounds = {1e-6,    4e-6,  16e-6,  64e-6, 256e-6,
                                                     1024e-6, 4e-3,  16e-3,  64e-3, 256e-3,
                                                     1.024,   4.096, 16.384, 65.536};
  void Observe(double seconds);
  uint64_t count() const { return counts_.back(); }
  double sum() const { return sum_; }
  std::span<const uint64_t> counts() const { return counts_; }

 private:
  std::array<uint64_t, kBounds.size() + 1> counts_ = {};
  double sum_ = 0;
};

// What the server counts, and its Prometheus text. Plain numbers: all is on the loop, and a server
// that does nothing should weigh nothing.
class ServerMetrics {
 public:
  void Request(std::string_view type, double seconds);
  void Error(std::string_view reason) { ++Of(errors_, reason); }
  void Granted(std::string_view grant, double waited_seconds);
  uint64_t connections = 0;
  uint64_t refused_connections = 0;
  uint64_t memory_waits = 0;
  uint64_t memory_wait_timeouts = 0;
  uint64_t evictions = 0;

  // With the state of every domain as it is now.
  std::string Expose(ServerState& state) const;

 private:
  using ByLabel = std::map<std::string, uint64_t, std::less<>>;
  static uint64_t& Of(ByLabel& counters, std::string_view label);

  ByLabel requests_, errors_, grants_;
  LatencyHistogram request_seconds_, wait_seconds_;
};

}  // namespace hearth::gms::server
