#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hearth::gms {

// Where a device's UUID comes from when the environment does not tell.
using UuidLookup = std::function<Result<std::string>(int ordinal)>;
// Reads a variable of the environment; nothing when it is not set.
using ReadEnvironment = std::function<std::optional<std::string>(const std::string& name)>;
ReadEnvironment ProcessEnvironment();

// GMS_SOCKET_DIR, else TMPDIR, else /tmp.
std::string DefaultSocketDir(const ReadEnvironment& environment = ProcessEnvironment());

// The UUID of the device that this process calls `ordinal`: GMS_GPU_UUID_<i>, element i of
// GMS_GPU_UUIDS, then of those entries of CUDA_VISIBLE_DEVICES and of NVIDIA_VISIBLE_DEVICES that
// are UUIDs, then what `lookup` says. Asked anew each time: after a restore the process may sit on
// another device.
Result<std::string> DeviceUuid(int ordinal, const UuidLookup& lookup,
                               const ReadEnvironment& environment = ProcessEnvironment());

// <dir>/gms_<device>_<tag>.sock, `device` being a UUID or an ordinal. kInvalid "too long for
// AF_UNIX" when it is.
Result<std::string> SocketPath(std::string_view dir, std::string_view device, std::string_view tag);

}  // namespace hearth::gms
