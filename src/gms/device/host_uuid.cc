#include <fmt/format.h>

#include "base/file_system.h"
#include "base/hash.h"
#include "base/strings.h"
#include "gms/device/host_device.h"

namespace hearth::gms {
namespace {

std::string MachineId() {
  for (const char* path : {"/etc/machine-id", "/proc/sys/kernel/random/boot_id"}) {
    auto text = RealFileSystem().Read(path, 4096);
    if (text.ok() && !Trim(*text).empty()) {
      return std::string(Trim(*text));
    }
  }
  return "machine without a name";
}

}  // namespace

std::string HostDeviceUuid(int ordinal) {
  std::string seed = fmt::format("hearth host device {} of {}", ordinal, MachineId());
  uint64_t high = HashBytes(seed, 1);
  uint64_t low = HashBytes(seed, 2);
  return fmt::format("GPU-{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xffff, low >> 48, low & 0xffffffffffff);
}

}  // namespace hearth::gms
