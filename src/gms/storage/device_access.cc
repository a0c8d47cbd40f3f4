#include "gms/storage/device_access.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/file_system.h"
#include "gms/device/host_device.h"

namespace hearth::gms::storage {
namespace {

constexpr std::string_view kHost = "host";
constexpr std::string_view kCuda = "cuda";
// How often sockets that are not there are looked for.
constexpr Duration kLook = std::chrono::milliseconds(10);

struct Counted {
  std::vector<int64_t> devices;
  bool final = true;  // waiting makes no more of them
};

// "gms_3_weights.sock" -> 3. Names by UUID are of the same devices.
std::optional<int64_t> OrdinalOf(const std::string& name) {
  int64_t ordinal = -1;
  const size_t begin = name.find('_') + 1;
  std::from_chars(name.data() + begin, name.data() + name.size(), ordinal);
  return ordinal >= 0 && OrdinalSocketPath("", static_cast<int>(ordinal), kWeightsTag) == "/" + name
             ? std::optional(ordinal)
             : std::nullopt;
}

bool Exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

Result<Counted> HostDevices(const std::string& directory) {
  // A server makes its own when all others are there. Asked first, so that none is missed.
  const bool all = !AdminSocketsIn(directory).empty();
  ASSIGN_OR_RETURN(const std::vector<std::string> names, RealFileSystem().List(directory));
  std::vector<int64_t> devices;
  for (const std::string& name : names) {
    if (const std::optional<int64_t> ordinal = OrdinalOf(name)) {
      devices.push_back(*ordinal);
    }
  }
  std::sort(devices.begin(), devices.end());
  return Counted{.devices = devices, .final = all && !devices.empty()};
}

Result<Counted> CudaDevices(const CudaLibraries& libraries) {
  ASSIGN_OR_RETURN(const int count, CountCudaDevices(libraries));
  std::vector<int64_t> devices(static_cast<size_t>(count));
  std::iota(devices.begin(), devices.end(), 0);
  return Counted{.devices = devices};
}

Result<Counted> Count(const DeviceSelection& selection) {
  if (selection.device) {
    return Counted{.devices = {*selection.device}};
  }
  if (selection.kind == kHost) {
    return HostDevices(selection.socket_directory);
  }
  auto devices = CudaDevices(selection.cuda);
  if (selection.kind == kCuda || (devices.ok() && !devices->devices.empty())) {
    return devices;
  }
  return HostDevices(selection.socket_directory);
}

Result<std::vector<int64_t>> Await(const DeviceSelection& selection, Clock& clock,
                                   const WaitLimit& limit) {
  for (;;) {
    auto counted = Count(selection);
    const bool may_come = counted.ok() ? !counted->final : counted.status().Is(Code::kNotFound);
    if (!may_come || clock.Now() >= limit.deadline) {
      return counted.ok() ? Result(std::move(counted->devices)) : counted.status();
    }
    RETURN_IF_ERROR(limit.Check(clock, "waiting for the server's sockets"));
    SleepFor(clock, std::min(kLook, limit.Remaining(clock)), limit.stop);
  }
}

std::unique_ptr<AddressSpace> BindHost(int ordinal) {
  // Its server's granularity is not known yet; pages are the finest that can be mapped.
  return OpenHostAddressSpace({.ordinal = ordinal,
                               .kind = std::string(kHost),
                               .granularity = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE))});
}

Result<std::unique_ptr<AddressSpace>> Bind(const DeviceSelection& selection, int ordinal,
                                           const std::string& served) {
  const bool any = selection.kind == kAnyKind;
  if (!served.empty() && !any && served != selection.kind) {
    return InvalidError(
        fmt::format("the server's memory is of kind {}, --device-type says {}: leave it out",
                    served, selection.kind));
  }
  const std::string& kind = any ? served : selection.kind;
  if (kind == kHost) {
    return BindHost(ordinal);
  }
  auto cuda = OpenCudaAddressSpace(ordinal, selection.cuda);
  // Without a driver it is the server that tells what its memory is.
  return kind.empty() && !cuda.ok() ? std::unique_ptr<AddressSpace>() : std::move(cuda);
}

std::string SocketOf(const DeviceSelection& selection, int ordinal, const AddressSpace* bound,
                     const Environment& environment) {
  if (!selection.socket.empty()) {
    return selection.socket;
  }
  if (const auto uuid = UuidFromEnvironment(ordinal, environment)) {
    return DomainSocketPath(selection.socket_directory, *uuid, kWeightsTag);
  }
  std::string by_number = OrdinalSocketPath(selection.socket_directory, ordinal, kWeightsTag);
  if (bound == nullptr || bound->facts().uuid.empty()) {
    return by_number;
  }
  std::string by_uuid =
      DomainSocketPath(selection.socket_directory, bound->facts().uuid, kWeightsTag);
  // A server makes names by UUID first: with a number only, it serves something else.
  const bool other = selection.kind == kAnyKind && !Exists(by_uuid) && Exists(by_number);
  return other ? by_number : by_uuid;
}

}  // namespace

Result<std::vector<DeviceAccess>> SelectDevices(const DeviceSelection& selection,
                                                const Environment& environment, Clock& clock,
                                                const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, Await(selection, clock, limit));
  if (numbers.empty()) {
    return NotFoundError(
        fmt::format("there are no devices{}; is gms-server running, and is {} the folder of its "
                    "sockets? (--socket-dir)",
                    selection.kind == kAnyKind ? "" : " of kind " + selection.kind,
                    selection.socket_directory));
  }
  std::vector<DeviceAccess> devices;
  for (const int64_t number : numbers) {
    const int ordinal = static_cast<int>(number);
    devices.push_back(
        {.device = number,
         .bind = [selection,
                  ordinal](const std::string& served) { return Bind(selection, ordinal, served); },
         .socket =
             [selection, ordinal, environment](const AddressSpace* bound) {
               return SocketOf(selection, ordinal, bound, environment);
             }});
  }
  return devices;
}

Status BindServed(const DeviceAccess& access, const ServedDevice& served,
                  std::unique_ptr<AddressSpace>& space) {
  if (space == nullptr && served.kind.empty()) {
    return InvalidError(
        "the server does not say of what kind its memory is, and no driver was found; say it with "
        "--device-type");
  }
  if (space == nullptr || (!served.kind.empty() && space->facts().kind != served.kind)) {
    ASSIGN_OR_RETURN(space, access.bind(served.kind));
  }
  const std::string& bound = space->facts().uuid;
  if (!bound.empty() && !served.uuid.empty() && bound != served.uuid) {
    return ConflictError(fmt::format(
        "the server's memory is on {}, device {} of this process is {}: another physical device",
        served.uuid, access.device, bound));
  }
  return {};
}

}  // namespace hearth::gms::storage
