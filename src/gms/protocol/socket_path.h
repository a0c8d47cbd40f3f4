#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Where the service's sockets are. Names are those that existing clients look for.
namespace hearth::gms {

inline constexpr std::string_view kWeightsTag = "weights";
inline constexpr std::string_view kKvCacheTag = "kv_cache";

// Value of an environment variable, nothing when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment ProcessEnvironment();

// GMS_SOCKET_DIR, else TMPDIR, else /tmp; empty ones do not count.
std::string SocketDirectory(const Environment& environment);

// <directory>/gms_<uuid>_<tag>.sock
std::string DomainSocketPath(std::string_view directory, std::string_view uuid,
                             std::string_view tag);
// The same by the device's number, for clients that outlive a move to another device.
std::string OrdinalSocketPath(std::string_view directory, int ordinal, std::string_view tag);
// <directory>/gms_admin.sock, of the first server in a folder.
std::string AdminSocketPath(std::string_view directory);
// <directory>/gms_admin_<name>.sock, of a server that found another one at the first.
std::string AdminSocketPath(std::string_view directory, std::string_view name);
// All of both kinds that are there, answered or not, the first one first. An unreadable folder has
// none.
std::vector<std::string> AdminSocketsIn(const std::string& directory);

// kInvalid, "too long for AF_UNIX", for a path that no socket can have.
Status CheckSocketPath(std::string_view path);

// A device's UUID without asking its driver, which may take long: GMS_GPU_UUID_<i>; element i of
// GMS_GPU_UUIDS (commas or semicolons, empty ones dropped); element i of those in
// CUDA_VISIBLE_DEVICES, then NVIDIA_VISIBLE_DEVICES, that begin with GPU- or MIG-. Nothing when
// none of them says: ask the device then.
std::optional<std::string> UuidFromEnvironment(int device, const Environment& environment);

}  // namespace hearth::gms
