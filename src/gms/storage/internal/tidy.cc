#include "gms/storage/internal/tidy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/publish.h"
#include "base/random.h"
#include "disk/digest.h"
#include "disk/owner_lock.h"
#include "gms/storage/manifest.h"
#include "gms/storage/shard_plan.h"

namespace hearth::gms::storage {
namespace {

constexpr std::string_view kAttemptEnd = ".attempt";
constexpr std::string_view kAttemptBegin = ".device-";
constexpr uint64_t kIdBytes = 4096;

// Nothing when there is none, or none that makes sense. A disk that cannot be read is an error:
// what lies there may be all there is.
Result<std::optional<Manifest>> ManifestIn(FileSystem& files, const std::string& directory) {
  const auto text = files.Read(directory + "/" + kManifestName, ArtifactLimits().manifest_bytes);
  if (text.status().Is(Code::kNotFound)) {
    return std::optional<Manifest>();
  }
  RETURN_IF_ERROR(text);
  auto manifest = ReadManifest(*text);
  return manifest.ok() ? std::optional(std::move(*manifest)) : std::nullopt;
}

Status MoveIntoPlace(FileSystem& files, const std::string& staged, const std::string& place) {
  const auto there = files.Stat(place);
  if (there.status().Is(Code::kNotFound)) {
    return files.Rename(staged, place);
  }
  RETURN_IF_ERROR(there);
  Status exchanged = files.Exchange(staged, place);
  if (!exchanged.Is(Code::kUnsupported)) {
    return exchanged;
  }
  // For a moment there is nothing in place; the record leads readers to staging.
  RETURN_IF_ERROR(files.Rename(place, staged + ".old" + std::string(kAttemptEnd)));
  return files.Rename(staged, place);
}

bool Owned(const std::string& tree) {
  return disk::OwnerLock::TryTakeExisting(tree + "/" + kOwnerName).status().Is(Code::kConflict);
}

Status RemoveUnowned(FileSystem& files, const std::string& tree) {
  return Owned(tree) ? Status() : files.RemoveTree(tree);
}

bool IsAttempt(std::string_view name) {
  return name.starts_with(kAttemptBegin) && name.ends_with(kAttemptEnd);
}

// A device's directory that is not part of the checkpoint.
bool IsDropped(const std::string& name, const CheckpointRecord& record) {
  return DeviceOfDirectory(name) &&
         std::none_of(record.devices.begin(), record.devices.end(),
                      [&](const auto& device) { return device.directory == name; });
}

// Of the folder that a shard lies in. No two saves have the same, and a root may have several
// paths.
std::string FolderName(const std::string& path) {
  return std::filesystem::path(path).parent_path().filename().string();
}

// Also those that the checkpoint has no more.
Result<std::vector<int64_t>> DevicesAt(FileSystem& files, const std::string& root,
                                       const std::string& directory) {
  const auto names = files.List(root + "/" + ShardRootSuffix(directory));
  std::vector<int64_t> devices;
  if (names.status().Is(Code::kNotFound)) {
    return devices;
  }
  RETURN_IF_ERROR(names);
  for (const std::string& name : *names) {
    if (const auto device = DeviceOfDirectory(name)) {
      devices.push_back(*device);
    }
  }
  return devices;
}

// Nothing when the artifact makes no sense: then nothing may be removed.
Result<std::optional<std::set<std::string>>> UsedFolders(FileSystem& files,
                                                         const std::string& place) {
  std::set<std::string> used;
  if (files.Stat(place).status().Is(Code::kNotFound)) {
    return std::optional(used);
  }
  ASSIGN_OR_RETURN(const std::optional<Manifest> manifest, ManifestIn(files, place));
  if (!manifest) {
    return std::optional<std::set<std::string>>();
  }
  for (const StoredShard& shard : manifest->shards) {
    used.insert(FolderName(shard.path));
  }
  return std::optional(used);
}

Status RemoveUnusedFolders(FileSystem& files, const std::string& home, const std::string& mark,
                           const std::set<std::string>& used) {
  const auto names = files.List(home);
  if (names.status().Is(Code::kNotFound)) {
    return {};
  }
  RETURN_IF_ERROR(names);
  for (const std::string& name : *names) {
    if (name.starts_with(ShardFolderName(mark, "")) && !used.contains(name)) {
      RETURN_IF_ERROR(RemoveUnowned(files, home + "/" + name));
    }
  }
  return {};
}

}  // namespace

std::string AttemptName(int64_t device, const std::string& id) {
  return fmt::format("{}{}.{}{}", kAttemptBegin, device, id, kAttemptEnd);
}

std::string ShardHome(const std::string& root, const std::string& directory, int64_t device) {
  return fmt::format("{}/{}/{}/{}", root, ShardRootSuffix(directory), DeviceDirectory(device),
                     kShardFolder);
}

std::string ShardFolderName(const std::string& mark, const std::string& id) {
  return mark + "." + id;
}

Result<std::string> ShardMark(FileSystem& files, const std::string& directory) {
  std::error_code error;
  const std::filesystem::path place = std::filesystem::canonical(directory, error);
  if (error) {
    return Status::FromErrno(error.value(), directory);
  }
  const std::string path = directory + "/" + kIdName;
  Result<std::string> id = files.Read(path, kIdBytes);
  if (id.status().Is(Code::kNotFound)) {
    Random random = Random::Seeded();
    id = fmt::format("{:016x}{:016x}\n", random.Next(), random.Next());
    RETURN_IF_ERROR(PublishFile(files, path, *id));
  }
  RETURN_IF_ERROR(id);
  return disk::DigestOf(*id + place.string()).Hex();
}

Status FinishMoves(FileSystem& files, const std::string& directory,
                   const CheckpointRecord& record) {
  bool moved = false;
  for (const CheckpointDevice& device : record.devices) {
    const std::string staged = directory + "/" + device.staged;
    ASSIGN_OR_RETURN(const std::optional<Manifest> manifest, ManifestIn(files, staged));
    if (manifest && manifest->root == device.manifest_root) {
      RETURN_IF_ERROR(MoveIntoPlace(files, staged, directory + "/" + device.directory));
      moved = true;
    }
  }
  return moved ? files.Sync(directory) : Status();
}

Status RemoveLeftovers(FileSystem& files, const std::string& directory,
                       const std::vector<std::string>& roots, const std::string& mark) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, files.List(directory));
  for (const std::string& name : names) {
    if (IsAttempt(name)) {
      RETURN_IF_ERROR(RemoveUnowned(files, directory + "/" + name));
    }
  }
  for (const std::string& root : roots) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> devices, DevicesAt(files, root, directory));
    for (const int64_t device : devices) {
      ASSIGN_OR_RETURN(const auto used,
                       UsedFolders(files, directory + "/" + DeviceDirectory(device)));
      if (used) {
        RETURN_IF_ERROR(
            RemoveUnusedFolders(files, ShardHome(root, directory, device), mark, *used));
      }
    }
  }
  return {};
}

Status RemoveDropped(FileSystem& files, const std::string& directory,
                     const CheckpointRecord& record) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, files.List(directory));
  for (const std::string& name : names) {
    if (IsDropped(name, record)) {
      RETURN_IF_ERROR(files.RemoveTree(directory + "/" + name));
    }
  }
  return {};
}

Result<bool> HasLeftovers(FileSystem& files, const std::string& directory,
                          const std::optional<CheckpointRecord>& record) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, files.List(directory));
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return IsAttempt(name) || (record && IsDropped(name, *record));
  });
}

}  // namespace hearth::gms::storage
