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
inline constexpr const char* kIdName = ".gms-checkpoint.id";

std::string AttemptName(int64_t device, const std::string& id);
// "<root>/<suffix>/device-<n>/shards": where folders of shards lie, one for each save.
std::string ShardHome(const std::string& root, const std::string& directory, int64_t device);
// "<mark>.<id>": such a folder, of one save.
std::string ShardFolderName(const std::string& mark, const std::string& id);

// Tells folders of this checkpoint from those of others whose paths end alike, or are the same in
// another container: made of an id that lies in the directory from now on, and of where that is, so
// that a copy has another one.
Result<std::string> ShardMark(FileSystem& files, const std::string& directory);

// Brings every device whose artifact still lies in staging to its place.
Status FinishMoves(FileSystem& files, const std::string& directory, const CheckpointRecord& record);
// Removes staging whose owner is gone, and folders of shards on these roots that have our mark and
// that no artifact uses, of whatever device.
Status RemoveLeftovers(FileSystem& files, const std::string& directory,
                       const std::vector<std::string>& roots, const std::string& mark);
// Removes directories of devices that the record does not list: readers that know no records would
// load them as part of the checkpoint.
Status RemoveDropped(FileSystem& files, const std::string& directory,
                     const CheckpointRecord& record);
// Whether FinishMoves, RemoveLeftovers (without roots) or, with a record, RemoveDropped has
// something to do. Only reads, and wants no lock.
Result<bool> HasLeftovers(FileSystem& files, const std::string& directory,
                          const std::optional<CheckpointRecord>& record);

}  // namespace hearth::gms::storage
