#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/log.h"
#include "base/wait_limit.h"
#include "gms/storage/device_access.h"
#include "gms/storage/shard_plan.h"

namespace hearth::gms::saver {

struct SaveOptions {
  std::string directory;           // the checkpoint's
  std::vector<std::string> roots;  // for shards
  uint64_t shard_bytes = storage::kDefaultShardBytes;
  int workers = 8;
  uint64_t staging_bytes = 64ULL << 20;  // pinned host memory, of all devices together
  // How long a layout to save is waited for.
  Duration lock_timeout = std::chrono::minutes(30);
  std::string model;            // label of what is saved; empty: none
  std::optional<int64_t> rank;  // likewise
  // The checkpoint has these devices and no others.
  bool whole = true;
};

struct SaveReport {
  size_t devices = 0;
  uint64_t bytes = 0;
  // The checkpoint was there, whole, with the very same contents; nothing was written.
  bool already_saved = false;
  // Where the time went.
  Duration waiting{};     // for leases
  Duration writing{};     // bytes to shards
  Duration publishing{};  // until it is durable and in place
};

// How far a save is; read it from any thread.
struct SaveGauge {
  std::atomic<uint64_t> total_bytes = 0;
  std::atomic<uint64_t> done_bytes = 0;
};

// Saves the committed weights of all these devices as one checkpoint. Waits as a reader until
// something is committed and keeps the lease until all is durable; nothing on disk is touched
// before every lease is there. All devices share one engine. Asked again for the same contents, it
// verifies what is on disk and is done.
// kDeadlineExceeded, naming device and socket, when nothing was committed in time; kCancelled when
// stopped: what was begun is removed.
Result<SaveReport> SaveCheckpoint(const std::vector<storage::DeviceAccess>& devices,
                                  const SaveOptions& options, FileSystem& files, Clock& clock,
                                  const Logger& log, SaveGauge& gauge, const WaitLimit& limit);

}  // namespace hearth::gms::saver
