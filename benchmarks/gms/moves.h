#pragma once

#include <string>

#include "base/result.h"
#include "gms/device/host_device.h"
#include "server_process.h"

namespace hearth::bench {

struct Moved {
  double bytes = 0;
  double seconds = 0;
  double cpu_seconds = 0;  // of the server, too
  double rate() const { return bytes / seconds; }
  double cpu_per_gib() const { return cpu_seconds / (bytes / (1ULL << 30)); }
};

// Loads a checkpoint into a new server, from before the connect until it is committed.
struct LoadSpec {
  std::string gms_server;
  std::string checkpoint;
  gms::HostPages pages = gms::HostPages::kSmall;
  uint64_t granularity = 2ULL << 20;
  bool digests = true;
  bool look = false;  // afterwards, outside of the measured time: does memory hold what was saved?
};
Result<Moved> MeasureLoad(const LoadSpec& spec);

// Saves what a server has, from before the connect until the checkpoint is durable and in place.
Result<Moved> MeasureSave(const ServerProcess& server, const std::string& checkpoint);

}  // namespace hearth::bench
