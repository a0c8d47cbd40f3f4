#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

// Where checkpoints are kept: a PersistentVolumeClaim in the namespace of the workload.
namespace hearth::dynamo {

// checkpoint.storage of the operator's configuration, as it is written.
struct StorageConfig {
  std::string type;  // empty or "pvc"; others are of older versions
  std::string pvc_name;
  std::string base_path;
  bool create = false;
  std::string size;
  std::string storage_class;
  std::string access_mode;
};

struct Storage {
  std::string pvc_name;
  std::string base_path;    // absolute, without anything that a reader has to work out
  bool configured = false;  // and not found at the agents
};

// What the configuration says; nothing when it leaves it to the agents. kInvalid names the field.
Result<std::optional<Storage>> ConfiguredStorage(const StorageConfig& config);

// The claim that the operator makes when there is none and it was told to. Nobody owns it:
// artifacts outlive graphs. CHECKs that the configuration asks for it.
json::Value RenderStorageClaim(const StorageConfig& config, std::string_view name_space);
// The configuration is asked for a claim that is not there and that it may not make.
Status NoStorageClaim(const Storage& storage, std::string_view name_space);

// What the agents of a namespace mount; nothing when none of the DaemonSets is theirs.
std::optional<Storage> StorageOfAgents(const std::vector<json::Value>& daemon_sets);

// What the memory service saves, and loads again.
Result<std::string> MemoryDirectory(const Storage& storage, std::string_view checkpoint_id,
                                    std::string_view version);

// ---- In pods.
inline constexpr std::string_view kStorageVolume = "checkpoint-storage";
inline constexpr std::string_view kStorageType = "nvidia.com/snapshot-storage-type";
inline constexpr std::string_view kStoragePath = "nvidia.com/snapshot-storage-base-path";
// Tells of a storage that was configured and not found at the agents, by annotations.
void TellStorage(const Storage& storage, json::Value& pod);
// Volume and mount of all of it, for those who clean up; twice is once.
void MountStorage(const Storage& storage, json::Value& pod_spec, json::Value& container);
// The same for containers of workloads, which see the checkpoint of this id and no other. It is
// theirs to read; what a memory service saves, theirs to write.
void MountCheckpoint(const Storage& storage, const std::string& checkpoint_id, bool with_memory,
                     json::Value& pod_spec, json::Value& container);
void MountMemory(const Storage& storage, const std::string& checkpoint_id, json::Value& pod_spec,
                 json::Value& container);

}  // namespace hearth::dynamo
