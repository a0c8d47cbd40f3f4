#include "agent/capture/cold_start.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "agent/host/control_directory.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent {

std::optional<Duration> ColdStart(Duration age, Duration ready_for) {
  if (ready_for < Duration::zero() || ready_for >= age) {
    return std::nullopt;
  }
  return age - ready_for;
}

std::optional<Duration> MeasureColdStart(const ProcReader& proc, int pid, const std::string& root,
                                         WallTime now) {
  const auto age = proc.Age(pid);
  const auto control = ControlDirectory::Open(root, std::string(snapshot::kControlDirectory));
  struct stat ready {};
  if (!age.ok() || !control.ok() ||
      ::fstatat(control->fd(), std::string(snapshot::kReadyFile).c_str(), &ready,
                AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(ready.st_mode)) {
    return std::nullopt;
  }
  const WallTime since(std::chrono::seconds(ready.st_mtim.tv_sec) +
                       std::chrono::nanoseconds(ready.st_mtim.tv_nsec));
  return ColdStart(*age, now - since);
}

}  // namespace hearth::agent
