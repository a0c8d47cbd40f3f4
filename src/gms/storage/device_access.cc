#include "gms/storage/device_access.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numeric>

#include "base/file_system.h"
#include "gms/device/host_device.h"
#include "gms/protocol/message_channel.h"

namespace hearth::gms::storage {
namespace {

constexpr std::string_view kHost = "host";
constexpr std::string_view kCuda = "cuda";
// How often sockets that are not there are looked for.
constexpr Duration kLook = std::chrono::milliseconds(10);

struct Counted {
  std::vector<int64_t> devices;
  Status missing;  // ok: waiting makes no more of them
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

// A server's sockets for weights have names by UUID first and links by number afterwards. One that
// somebody listens at and no link leads to: its server is starting, or makes no links.
std::optional<std::string> UnlinkedSocket(const std::string& directory,
                                          const std::vector<std::string>& names) {
  std::set<std::string> linked;
  for (const std::string& name : names) {
    std::error_code error;
    linked.insert(std::filesystem::read_symlink(directory + "/" + name, error).string());
  }
  const std::string ending = fmt::format("_{}.sock", kWeightsTag);
  for (const std::string& name : names) {
    const std::string path = directory + "/" + name;
    std::error_code error;
    if (name.starts_with("gms_") && name.ends_with(ending) && !name.starts_with("gms_admin") &&
        !OrdinalOf(name) && !linked.contains(name) && std::filesystem::is_socket(path, error) &&
        MessageChannel::Connect(path, WaitLimit::For(RealClock(), Duration::zero())).ok()) {
      return path;
    }
  }
  return std::nullopt;
}

Status WhatIsMissing(const DeviceSelection& selection, const std::vector<std::string>& names,
                     const std::set<int64_t>& devices) {
  const std::set<int64_t>& expected = selection.expected;
  const std::string& directory = selection.socket_directory;
  if (!expected.empty() &&
      !std::includes(expected.begin(), expected.end(), devices.begin(), devices.end())) {
    return Status::Ok();  // it will not become what is expected
  }
  for (const int64_t device : expected) {
    if (!devices.contains(device)) {
      return UnavailableError(fmt::format(
          "device {} is expected, and no server has made {}; is one missing, or still starting?",
          device, OrdinalSocketPath(directory, static_cast<int>(device), kWeightsTag)));
    }
  }
  if (!expected.empty()) {
    return Status::Ok();  // whatever else is served here is not asked for
  }
  if (const auto path = UnlinkedSocket(directory, names)) {
    return UnavailableError(
        fmt::format("{} is served, and no link says which device that is: its server has not got "
                    "ready, or makes none (--number-links=false); name each device with --device "
                    "and --socket-path",
                    *path));
  }
  return Status::Ok();
}

Result<Counted> HostDevices(const DeviceSelection& selection) {
  const std::string& directory = selection.socket_directory;
  // A server makes its own when all others are there. Asked first, so that none is missed.
  const bool all = !AdminSocketsIn(directory).empty();
  ASSIGN_OR_RETURN(const std::vector<std::string> names, RealFileSystem().List(directory));
  std::set<int64_t> devices;
  for (const std::string& name : names) {
    if (const std::optional<int64_t> ordinal = OrdinalOf(name)) {
      devices.insert(*ordinal);
    }
  }
  Counted counted{.devices = {devices.begin(), devices.end()},
                  .missing = WhatIsMissing(selection, names, devices)};
  if (counted.missing.ok() && (devices.empty() || !all)) {
    counted.missing = NotFoundError("");  // what is there when the time is over is taken then
  }
  return counted;
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
    return HostDevices(selection);
  }
  auto devices = CudaDevices(selection.cuda);
  if (selection.kind == kCuda || (devices.ok() && !devices->devices.empty())) {
    return devices;
  }
  return HostDevices(selection);
}

Result<std::vector<int64_t>> Await(const DeviceSelection& selection, Clock& clock,
                                   const WaitLimit& limit) {
  for (;;) {
    auto counted = Count(selection);
    const Status missing = counted.ok() ? counted->missing : counted.status();
    const bool may_come = !missing.ok() && (counted.ok() || missing.Is(Code::kNotFound));
    if (!may_come || clock.Now() >= limit.deadline) {
      const bool take = counted.ok() && (missing.ok() || missing.Is(Code::kNotFound));
      return take ? Result(std::move(counted->devices)) : missing;
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

std::set<int64_t> DevicesOfEnvironment(const Environment& environment) {
  std::set<int64_t> devices;
  for (int device = 0; UuidFromEnvironment(device, environment); ++device) {
    devices.insert(device);
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
