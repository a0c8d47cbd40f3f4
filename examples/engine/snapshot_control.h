#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/result.h"

namespace hearth::engine {

// How a workload and whoever captures it talk: files in a folder that both see. The workload says
// `ready-for-snapshot` when it is quiet; then `snapshot-complete` tells the captured process to
// end, and `restore-complete` tells the restored copy to go on.
class SnapshotControl {
 public:
  SnapshotControl(FileSystem& files, std::string directory)
      : files_(files), directory_(std::move(directory)) {}

  enum class Outcome { kCaptured, kRestored };

  // Says that we are quiet and waits for what comes. kCancelled when told to stop.
  Result<Outcome> AwaitCapture(Clock& clock, const std::stop_token& stop);

  // For whoever waits in a container that is restored into: whether it was, and what makes an
  // earlier restore, into a container that is gone, be forgotten.
  bool IsRestored();
  void ForgetRestore();

 private:
  bool There(std::string_view name);
  void Forget(std::string_view name);

  FileSystem& files_;
  std::string directory_;
};

}  // namespace hearth::engine
