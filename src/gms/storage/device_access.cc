#include "gms/storage/device_access.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "base/file_system.h"
#include "gms/device/cuda_device.h"
#include "gms/device/host_device.h"

namespace hearth::gms::storage {
namespace {

constexpr std::string_view kHost = "host";

// "gms_3_weights.sock" -> 3. Names by UUID are of the same devices.
std::optional<int64_t> OrdinalOf(const std::string& name) {
  int64_t ordinal = -1;
  const size_t begin = name.find('_') + 1;
  std::from_chars(name.data() + begin, name.data() + name.size(), ordinal);
  return ordinal >= 0 && OrdinalSocketPath("", static_cast<int>(ordinal), kWeightsTag) == "/" + name
             ? std::optional(ordinal)
             : std::nullopt;
}

Result<std::vector<int64_t>> HostDevices(const std::string& directory) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, RealFileSystem().List(directory));
  std::vector<int64_t> devices;
  for (const std::string& name : names) {
    if (const std::optional<int64_t> ordinal = OrdinalOf(name)) {
      devices.push_back(*ordinal);
    }
  }
  std::sort(devices.begin(), devices.end());
  return devices;
}

Result<std::vector<int64_t>> Numbers(const DeviceSelection& selection) {
  if (selection.device) {
    return std::vector<int64_t>{*selection.device};
  }
  if (selection.kind == kHost) {
    return HostDevices(selection.socket_directory);
  }
  ASSIGN_OR_RETURN(const int count, CountCudaDevices());
  std::vector<int64_t> devices;
  for (int i = 0; i < count; ++i) {
    devices.push_back(i);
  }
  return devices;
}

Result<std::unique_ptr<AddressSpace>> Bind(const std::string& kind, int ordinal) {
  if (kind != kHost) {
    return OpenCudaAddressSpace(ordinal);
  }
  // Its server's granularity is not known yet; pages are the finest that can be mapped.
  return OpenHostAddressSpace({.ordinal = ordinal,
                               .kind = std::string(kHost),
                               .granularity = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE))});
}

std::string SocketOf(const DeviceSelection& selection, int ordinal, const AddressSpace& bound,
                     const Environment& environment) {
  if (!selection.socket.empty()) {
    return selection.socket;
  }
  if (const auto uuid = UuidFromEnvironment(ordinal, environment)) {
    return DomainSocketPath(selection.socket_directory, *uuid, kWeightsTag);
  }
  return selection.kind == kHost || bound.facts().uuid.empty()
             ? OrdinalSocketPath(selection.socket_directory, ordinal, kWeightsTag)
             : DomainSocketPath(selection.socket_directory, bound.facts().uuid, kWeightsTag);
}

}  // namespace

Result<std::vector<DeviceAccess>> SelectDevices(const DeviceSelection& selection,
                                                const Environment& environment) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, Numbers(selection));
  if (numbers.empty()) {
    return NotFoundError(
        fmt::format("there are no {} devices; is gms-server running, and is {} the "
                    "folder of its sockets?",
                    selection.kind, selection.socket_directory));
  }
  std::vector<DeviceAccess> devices;
  for (const int64_t number : numbers) {
    const int ordinal = static_cast<int>(number);
    devices.push_back({.device = number,
                       .bind = [kind = selection.kind, ordinal] { return Bind(kind, ordinal); },
                       .socket =
                           [selection, ordinal, environment](const AddressSpace& bound) {
                             return SocketOf(selection, ordinal, bound, environment);
                           }});
  }
  return devices;
}

}  // namespace hearth::gms::storage
