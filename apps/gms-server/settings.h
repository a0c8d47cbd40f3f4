#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/options.h"
#include "gms/device/host_device.h"
#include "gms/server/options.h"

namespace hearth::gms::server {

// What the command line says.
struct Settings {
  ServerOptions server;
  bool host = false;         // else cuda
  std::vector<int> devices;  // empty: all there are
  uint64_t host_bytes = 0;   // of each device; 0: all memory of the machine
  HostPages host_pages = HostPages::kSmall;
  uint64_t host_granularity = 2ULL << 20;
  std::optional<int> host_numa_node;  // nothing: any
  bool take_over = false;
  bool probe = false;
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
};

// Nothing when help or the version was printed. kInvalid: a usage error.
Result<std::optional<Settings>> ReadSettings(int argc, const char* const* argv);

}  // namespace hearth::gms::server
