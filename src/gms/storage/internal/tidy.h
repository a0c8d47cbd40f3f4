#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "gms/storage/checkpoint.h"

// Steps of a publication that can be repeated. All want the checkpoint's lock to be held.
namespace hearth::gms::storage {

inline constexpr const char* kOwnerName = ".owner";
inline constexpr const char* kLockName = ".gms-checkpoint.lock";

std::string AttemptName(int64_t device, const std::string& id);
// "<root>/<suffix>/device-<n>/shards": where folders of shards lie, one for each save.
std::string ShardHome(const std::string& root, const std::string& directory, int64_t device);

// Brings every device whose artifact still lies in staging to its place.
Status FinishMoves(FileSystem& files, const std::string& directory, const CheckpointRecord& record);
// Removes staging whose owner is gone, and folders of shards that no artifact uses.
Status RemoveLeftovers(FileSystem& files, const std::string& directory,
                       const std::vector<std::string>& roots, const std::vector<int64_t>& devices);
// Removes directories of devices that `old` has and `record` has not.
Status RemoveDropped(FileSystem& files, const std::string& directory, const CheckpointRecord& old,
                     const CheckpointRecord& record);

}  // namespace hearth::gms::storage
