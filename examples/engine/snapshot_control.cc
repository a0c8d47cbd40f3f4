#include "snapshot_control.h"

#include <optional>

#include "base/publish.h"

namespace hearth::engine {

namespace {

constexpr std::string_view kReady = "ready-for-snapshot";
constexpr std::string_view kCaptured = "snapshot-complete";
constexpr std::string_view kRestored = "restore-complete";

}  // namespace

bool SnapshotControl::There(std::string_view name) {
  return files_.Stat(directory_ + "/" + std::string(name)).ok();
}

void SnapshotControl::Forget(std::string_view name) {
  static_cast<void>(files_.Remove(directory_ + "/" + std::string(name)));
}

bool SnapshotControl::IsRestored() { return There(kRestored); }

void SnapshotControl::ForgetRestore() { Forget(kRestored); }

Result<SnapshotControl::Outcome> SnapshotControl::AwaitCapture(Clock& clock,
                                                               const std::stop_token& stop) {
  // What an earlier round left would be taken for an answer.
  Forget(kCaptured);
  RETURN_IF_ERROR(PublishFile(files_, directory_ + "/" + std::string(kReady), "ready"));
  std::optional<Outcome> outcome;
  while (!outcome) {
    if (IsRestored()) {
      outcome = Outcome::kRestored;
    } else if (There(kCaptured)) {
      outcome = Outcome::kCaptured;
      // A poll, because the folder is another one after a restore: a watch would stay with the old.
    } else if (!SleepFor(clock, std::chrono::milliseconds(20), stop)) {
      return CancelledError("told to stop while waiting to be captured");
    }
  }
  Forget(kReady);
  Forget(kCaptured);
  return *outcome;
}

}  // namespace hearth::engine
