#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gms/device/device.h"
#include "gms/protocol/socket_path.h"

namespace hearth::gms::storage {

// How a program that moves weights reaches one device: its memory first, then its server.
struct DeviceAccess {
  int64_t device = 0;
  std::function<Result<std::unique_ptr<AddressSpace>>()> bind;
  // The server's socket for weights, once the device is known.
  std::function<std::string(const AddressSpace& bound)> socket;
};

struct DeviceSelection {
  std::string kind = "cuda";      // "cuda", "host"
  std::optional<int64_t> device;  // nothing: all there are
  std::string socket_directory;
  std::string socket;  // instead of the usual name; with one device only
};

// By number. Devices of a driver are counted by the driver, memory of this machine by the sockets
// that a server has made for it. kNotFound when there are none.
Result<std::vector<DeviceAccess>> SelectDevices(const DeviceSelection& selection,
                                                const Environment& environment);

}  // namespace hearth::gms::storage
