#include "gms/storage/publication.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/publish.h"
#include "base/random.h"
#include "gms/storage/internal/tidy.h"

namespace hearth::gms::storage {
namespace {

constexpr uint32_t kDirectoryMode = 0777;  // the umask decides

std::string NewId() { return fmt::format("{:016x}", Random::Seeded().Next()); }

// A record that is damaged leads nobody anywhere; a new save mends it.
Result<std::optional<CheckpointRecord>> ReadableRecord(const std::string& directory) {
  auto record = LoadCheckpointRecord(directory);
  if (record.status().Is(Code::kDataLoss) || record.status().Is(Code::kInvalid)) {
    return std::optional<CheckpointRecord>();
  }
  return record;
}

PublicationOptions WithoutTrailingSlash(PublicationOptions options) {
  while (options.directory.size() > 1 && options.directory.ends_with('/')) {
    options.directory.pop_back();
  }
  return options;
}

}  // namespace

Publication::Publication(FileSystem& files, PublicationOptions options)
    : files_(files), options_(WithoutTrailingSlash(std::move(options))) {}

Result<std::unique_ptr<Publication>> Publication::Begin(FileSystem& files,
                                                        PublicationOptions options) {
  std::unique_ptr<Publication> publication(new Publication(files, std::move(options)));
  RETURN_IF_ERROR(
      publication->Prepare().WithContext("prepare to save to " + publication->options_.directory));
  return publication;
}

Status Publication::Settle(FileSystem& files, PublicationOptions options) {
  Publication publication(files, std::move(options));
  const std::string& directory = publication.options_.directory;
  const auto settle = [&]() -> Status {
    // Without the lock: a directory with nothing left over may be read-only.
    ASSIGN_OR_RETURN(const auto record, ReadableRecord(directory));
    ASSIGN_OR_RETURN(
        const bool left,
        HasLeftovers(files, directory, publication.options_.whole ? record : std::nullopt));
    if (!left && publication.options_.roots.empty()) {
      return {};
    }
    ASSIGN_OR_RETURN(const disk::OwnerLock lock,
                     disk::OwnerLock::Take(directory + "/" + kLockName));
    return publication.FinishEarlier();
  };
  return settle().WithContext("finish an earlier save to " + directory);
}

Publication::~Publication() {
  if (committed_) {
    return;
  }
  for (auto& [device, stage] : stages_) {
    for (const std::string& tree : stage.trees) {
      // What cannot be removed now, the next save removes.
      static_cast<void>(files_.RemoveTree(tree));
    }
  }
}

Status Publication::Prepare() {
  const std::string& directory = options_.directory;
  RETURN_IF_ERROR(files_.MakeDirectories(directory, kDirectoryMode));
  ASSIGN_OR_RETURN(const disk::OwnerLock lock, disk::OwnerLock::Take(directory + "/" + kLockName));
  RETURN_IF_ERROR(FinishEarlier());
  for (const int64_t device : options_.devices) {
    RETURN_IF_ERROR(MakeStage(device));
  }
  return {};
}

// The caller holds the lock.
Status Publication::FinishEarlier() {
  const std::string& directory = options_.directory;
  ASSIGN_OR_RETURN(const auto record, ReadableRecord(directory));
  if (record) {
    RETURN_IF_ERROR(FinishMoves(files_, directory, *record));
    if (options_.whole) {
      RETURN_IF_ERROR(RemoveDropped(files_, directory, *record));
    }
  }
  if (!options_.roots.empty()) {
    ASSIGN_OR_RETURN(shard_mark_, ShardMark(files_, directory));
  }
  return RemoveLeftovers(files_, directory, options_.roots, shard_mark_);
}

Status Publication::MakeStage(int64_t device) {
  const std::string id = NewId();
  Stage& stage = stages_[device];
  stage.name = AttemptName(device, id);
  stage.staged.device = device;
  stage.staged.directory = options_.directory + "/" + stage.name;
  stage.trees.push_back(stage.staged.directory);
  RETURN_IF_ERROR(files_.MakeDirectories(stage.staged.directory, kDirectoryMode));
  ASSIGN_OR_RETURN(disk::OwnerLock owner,
                   disk::OwnerLock::Take(stage.staged.directory + "/" + kOwnerName));
  stage.owners.push_back(std::move(owner));
  if (options_.roots.empty()) {
    const std::string folder = stage.staged.directory + "/" + kShardFolder;
    stage.staged.shard_folders.push_back({folder, kShardFolder});
    return files_.MakeDirectories(folder, kDirectoryMode);
  }
  for (const std::string& root : options_.roots) {
    RETURN_IF_ERROR(MakeShardFolder(stage, root, id));
  }
  return {};
}

// Shards on other disks lie in a folder of their own for each save, under its final name from the
// beginning: it counts as soon as a manifest that counts names it.
Status Publication::MakeShardFolder(Stage& stage, const std::string& root, const std::string& id) {
  const std::string home = ShardHome(root, options_.directory, stage.staged.device);
  const std::string folder = home + "/" + ShardFolderName(shard_mark_, id);
  stage.trees.push_back(folder);
  RETURN_IF_ERROR(files_.MakeDirectories(folder, kDirectoryMode));
  ASSIGN_OR_RETURN(disk::OwnerLock owner, disk::OwnerLock::Take(folder + "/" + kOwnerName));
  stage.owners.push_back(std::move(owner));
  stage.staged.shard_folders.push_back({folder, folder});
  return files_.Sync(home);
}

const StagedDevice& Publication::staged(int64_t device) const { return stages_.at(device).staged; }

Result<CheckpointRecord> Publication::NewRecord(const std::map<int64_t, Manifest>& manifests,
                                                const std::optional<CheckpointRecord>& old,
                                                WallTime now) {
  CheckpointRecord record;
  record.timestamp = std::chrono::duration<double>(now.time_since_epoch()).count();
  for (const auto& [device, stage] : stages_) {
    const auto manifest = manifests.find(device);
    if (manifest == manifests.end()) {
      return InternalError(fmt::format("device {} was not saved", device));
    }
    record.devices.push_back({.device = device,
                              .directory = DeviceDirectory(device),
                              .staged = stage.name,
                              .manifest_root = manifest->second.root,
                              .layout_hash = manifest->second.layout_hash,
                              .model = manifest->second.compatibility.model,
                              .bytes = manifest->second.total_bytes()});
  }
  if (old && !options_.whole) {
    std::copy_if(old->devices.begin(), old->devices.end(), std::back_inserter(record.devices),
                 [&](const auto& device) { return !stages_.contains(device.device); });
  }
  std::sort(record.devices.begin(), record.devices.end(),
            [](const auto& a, const auto& b) { return a.device < b.device; });
  return record;
}

// Once readers see the record, staging belongs to it, whatever else fails.
Status Publication::PublishRecord(const CheckpointRecord& record) {
  Status published = PublishFile(files_, options_.directory + "/" + kCheckpointName,
                                 WriteCheckpointRecord(record));
  const auto seen = LoadCheckpointRecord(options_.directory);
  // When it cannot be read, nobody knows; the next save removes what is left over.
  committed_ = published.ok() || !seen.ok() || (*seen && (*seen)->devices == record.devices);
  return published;
}

Status Publication::Commit(const std::map<int64_t, Manifest>& manifests, WallTime now) {
  const std::string& directory = options_.directory;
  ASSIGN_OR_RETURN(const disk::OwnerLock lock, disk::OwnerLock::Take(directory + "/" + kLockName));
  ASSIGN_OR_RETURN(const auto old, ReadableRecord(directory));
  ASSIGN_OR_RETURN(const CheckpointRecord record, NewRecord(manifests, old, now));
  for (auto& [device, stage] : stages_) {
    for (const std::string& tree : stage.trees) {
      RETURN_IF_ERROR(files_.Remove(tree + "/" + kOwnerName));
    }
  }
  RETURN_IF_ERROR(files_.Sync(directory));
  RETURN_IF_ERROR(PublishRecord(record));
  RETURN_IF_ERROR(FinishMoves(files_, directory, record));
  if (options_.whole) {
    RETURN_IF_ERROR(RemoveDropped(files_, directory, record));
  }
  return RemoveLeftovers(files_, directory, options_.roots, shard_mark_);
}

}  // namespace hearth::gms::storage
