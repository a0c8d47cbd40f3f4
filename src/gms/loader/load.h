#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/wait_limit.h"
#include "gms/storage/device_access.h"

namespace hearth::gms::loader {

struct LoadOptions {
  std::string directory;           // the checkpoint's; with only_these also one device's artifact
  std::vector<std::string> roots;  // that shards may lie below
  // Queues for each root, as PlanRootQueues makes them; 0: shards are balanced over the workers.
  size_t queues_per_root = 0;
  int workers = 16;
  uint64_t staging_bytes = 64ULL << 20;  // pinned host memory, of all devices together
  // Digests are compared while bytes pass.
  bool verify = true;
  std::string model;            // what must be in it; empty: anything
  std::optional<int64_t> rank;  // likewise
  // Only the devices given, whatever else the checkpoint has.
  bool only_these = false;
  // How long the writer's lease is waited for; nothing: as long as it takes.
  std::optional<Duration> lock_timeout;
};

struct LoadReport {
  size_t devices = 0;
  uint64_t bytes = 0;
  size_t allocations = 0;
  Duration opening{};  // artifacts, checked
  Duration loading{};  // lease, allocations, bytes
  Duration committing{};
};

struct LoadGauge {
  std::atomic<uint64_t> total_bytes = 0;
  std::atomic<uint64_t> done_bytes = 0;
};

// Loads a checkpoint into the servers of these devices and commits it. Reading begins with the
// first allocation; every chunk is compared with its digest before the commit, and the layout that
// the servers were given with the one that was saved. Commits only when all devices are complete:
// after any failure before that nothing is committed and the memory is given back. The commits
// follow each other; when a server goes away between them the devices before it have the new
// weights and the others what they had, and loading again mends it.
// kInvalid "missing=[..] extra=[..]" when the checkpoint has other devices; kDataLoss names file
// and chunk; kCancelled when stopped.
Result<LoadReport> LoadCheckpoint(const std::vector<storage::DeviceAccess>& devices,
                                  const LoadOptions& options, Clock& clock, const Logger& log,
                                  LoadGauge& gauge, const WaitLimit& limit);

}  // namespace hearth::gms::loader
