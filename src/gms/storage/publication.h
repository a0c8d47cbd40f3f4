#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "disk/owner_lock.h"
#include "gms/storage/artifact_writer.h"
#include "gms/storage/checkpoint.h"

namespace hearth::gms::storage {

struct PublicationOptions {
  std::string directory;           // the checkpoint's
  std::vector<int64_t> devices;    // that are saved now
  std::vector<std::string> roots;  // for shards; empty: beside the manifest
  // The checkpoint has these devices and no others; otherwise others that it has stay in it.
  bool whole = true;
};

// Puts artifacts of devices into a checkpoint directory so that whoever looks, at any time and
// after any crash, finds the checkpoint that was there or the new one:
//
//   1. every device's artifact is made, complete and durable, in a staging directory
//      .device-<n>.<id>.attempt beside its place, held by a lock while its maker lives;
//   2. gms-checkpoint.json is replaced: from now on it is the new one that readers find, in its
//      place or still in staging;
//   3. staging and place change places, and what was there before is removed.
//
// Who begins finishes what another one, killed after 2, left undone, and removes what one killed
// before 2 left behind. Several processes may save different devices of one checkpoint at once.
class Publication {
 public:
  // Makes the directories. kUnavailable and the like from the file system.
  static Result<std::unique_ptr<Publication>> Begin(FileSystem& files, PublicationOptions options);
  // Finishes and removes what killed saves left, as Begin does, and begins nothing. For a save that
  // finds its contents published already: the one that published them may have been killed before
  // they were in place. Changes nothing when nothing is left.
  static Status Settle(FileSystem& files, PublicationOptions options);
  ~Publication();  // removes staging unless committed
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;

  const StagedDevice& staged(int64_t device) const;
  // All devices are sealed: publishes them. `manifests` as Seal returned them.
  Status Commit(const std::map<int64_t, Manifest>& manifests, WallTime now);

 private:
  struct Stage {
    StagedDevice staged;
    std::string name;                     // of the directory
    std::vector<disk::OwnerLock> owners;  // of the directory and of shard folders
    std::vector<std::string> trees;       // to remove when nothing comes of it
  };

  Publication(FileSystem& files, PublicationOptions options);
  Status Prepare();
  Status FinishEarlier();
  Status MakeStage(int64_t device);
  Status MakeShardFolder(Stage& stage, const std::string& root, const std::string& id);
  Result<CheckpointRecord> NewRecord(const std::map<int64_t, Manifest>& manifests,
                                     const std::optional<CheckpointRecord>& old, WallTime now);
  Status PublishRecord(const CheckpointRecord& record);

  FileSystem& files_;
  PublicationOptions options_;
  std::string shard_mark_;  // with roots
  std::map<int64_t, Stage> stages_;
  bool committed_ = false;
};

}  // namespace hearth::gms::storage
