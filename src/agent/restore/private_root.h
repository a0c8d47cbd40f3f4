#pragma once

#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::agent {

// Within a container a restore works from a root of its own, which is in memory, and in which all
// of the container is in one directory. Mounts of our own in the container's directories would not
// do: whoever removes or renames a directory takes away what is mounted there in other mount
// namespaces, and may put something else in its place, such as a program for us to run. And CRIU
// makes directories in /tmp, and believes what it finds in /run.
inline constexpr std::string_view kContainerPlace = "/container";
inline constexpr std::string_view kBundlePlace = "/bundle";  // tools/criu knows it, too
inline constexpr std::string_view kArtifactPlace = "/checkpoint";
inline constexpr std::string_view kScratchPlace = "/scratch";
inline constexpr std::string_view kWorkPlace = "/work";  // CRIU's log and socket

inline constexpr std::string_view kMountsPlace = "/mounts";
inline constexpr std::string_view kNullDevice = "/dev/null";  // the node's

// Of the node, from outside: what EnterPrivateRoot needs.
Result<UniqueFd> CloneNullDevice();

// Makes that root ours and our children's, with the kernel's /proc, /dev/null, and an empty /run,
// /tmp, kMountsPlace and kWorkPlace. In a mount namespace of our own and as a child in the
// container's pid namespace. It goes with us. kPermissionDenied: the container's /proc is not the
// kernel's.
Status EnterPrivateRoot(const UniqueFd& null_device);

}  // namespace hearth::agent
