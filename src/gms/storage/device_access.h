#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/wait_limit.h"
#include "gms/device/cuda_device.h"
#include "gms/device/device.h"
#include "gms/protocol/socket_path.h"

namespace hearth::gms::storage {

// How a program that moves weights reaches one device: its memory first, then its server.
struct DeviceAccess {
  int64_t device = 0;
  // `kind` is what the device's server says it is; empty: it was not asked yet. Null when it was
  // not and only it can tell.
  std::function<Result<std::unique_ptr<AddressSpace>>(const std::string& kind)> bind;
  // The server's socket for weights; `bound` is null when nothing could be bound before.
  std::function<std::string(const AddressSpace* bound)> socket;
};

inline constexpr const char* kAnyKind = "auto";

struct DeviceSelection {
  // "cuda", "host", or kAnyKind: a driver's device where there is a driver, otherwise what the
  // server says.
  std::string kind = kAnyKind;
  std::optional<int64_t> device;  // nothing: all there are
  // Of all, those that must be among them; of memory of this machine they are waited for.
  std::set<int64_t> expected;
  std::string socket_directory;
  std::string socket;  // instead of the usual name; with one device only
  CudaLibraries cuda;  // where the driver is
};

// By number. Devices of a driver are counted by the driver, memory of this machine by the sockets
// that servers have made for it. There may be several servers, and some may still be starting: all
// devices that are expected are waited for, unless there are others that are not, and so is every
// server that listens and has not made all of its sockets yet.
// kNotFound when there are none in time; kUnavailable when one that is expected, or was starting,
// is not there in time; kCancelled.
Result<std::vector<DeviceAccess>> SelectDevices(const DeviceSelection& selection,
                                                const Environment& environment, Clock& clock,
                                                const WaitLimit& limit);

// Devices that the environment names (UuidFromEnvironment): 0 up to the first that it does not.
std::set<int64_t> DevicesOfEnvironment(const Environment& environment);

// What a server said of its device in the handshake. Empty: nothing.
struct ServedDevice {
  std::string kind;
  std::string uuid;
};

// Sees to it that `space`, which may be null or of another kind, is of the device that is served.
// kInvalid when the kind is not the selected one, or nobody knows it; kConflict when it is another
// physical device.
Status BindServed(const DeviceAccess& access, const ServedDevice& served,
                  std::unique_ptr<AddressSpace>& space);

}  // namespace hearth::gms::storage
