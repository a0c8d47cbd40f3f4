#include "agent/criu/oldest_version.h"

#include <fmt/format.h>

namespace hearth::agent::criu {

Status CheckAge(const Version& version) {
  const Version oldest{.major = 4, .minor = 2};
  if (version >= oldest) {
    return Status::Ok();
  }
  return Status(Code::kUnsupported, "CriuTooOld",
                fmt::format("CRIU {}.{} is too old for current kernels: install {} or newer",
                            version.major, version.minor, kOldestVersion));
}

}  // namespace hearth::agent::criu
