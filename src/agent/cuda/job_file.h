#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "agent/host/control_directory.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent::cuda {

// The state of processes that were launched as one job, which the driver needs to restore several
// GPUs. It lies in the container's control directory, and under the same name in an artifact; each
// restored container has a copy of its own. Never read or written through a link.
inline constexpr std::string_view kJobFile = snapshot::kCudaJobFile;

// From the container into the directory of an artifact, mode 0600, durable; what is there under the
// name is replaced. False: there is none, which is fine for one GPU and kInvalid for more.
Result<bool> SaveJobFile(const ControlDirectory& container, int artifact, size_t gpus);

// The one of the container whose root this is, for a program that reads and changes it. kNotFound:
// there is none. kPermissionDenied: it is not a plain file.
Result<UniqueFd> OpenJobFile(const std::string& container_root);

// What an artifact has; the same rule. kPermissionDenied: it is not a plain file.
Result<std::optional<std::string>> ReadSavedJobFile(int artifact, size_t gpus);

// Into the container that is restored into, readable for its owner only.
Status PlaceJobFile(ControlDirectory& container, std::string_view content);
// To whoever the restored processes act as on files.
Status GiveJobFile(const ControlDirectory& container, uid_t user, gid_t group);

}  // namespace hearth::agent::cuda
