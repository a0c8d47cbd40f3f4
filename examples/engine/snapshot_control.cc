#include "snapshot_control.h"

#include "base/publish.h"

namespace hearth::engine {

bool SnapshotControl::There(const std::string& name) {
  return files_.Stat(directory_ + "/" + name).ok();
}

Result<SnapshotControl::Outcome> SnapshotControl::AwaitCapture(Clock& clock,
                                                               const std::stop_token& stop) {
  // What an earlier round left would be taken for an answer.
  static_cast<void>(files_.Remove(directory_ + "/snapshot-complete"));
  RETURN_IF_ERROR(PublishFile(files_, directory_ + "/ready-for-snapshot", "ready"));
  std::optional<Outcome> outcome;
  while (!outcome) {
    if (There("restore-complete")) {
      outcome = Outcome::kRestored;
    } else if (There("snapshot-complete")) {
      outcome = Outcome::kCaptured;
      // A poll, because the folder is another one after a restore: a watch would stay with the old.
    } else if (!SleepFor(clock, std::chrono::milliseconds(20), stop)) {
      return CancelledError("told to stop while waiting to be captured");
    }
  }
  static_cast<void>(files_.Remove(directory_ + "/ready-for-snapshot"));
  static_cast<void>(files_.Remove(directory_ + "/snapshot-complete"));
  return *outcome;
}

}  // namespace hearth::engine
