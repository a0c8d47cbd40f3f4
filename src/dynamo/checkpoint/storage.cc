#include "dynamo/checkpoint/storage.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/check.h"
#include "json/quantity.h"
#include "pods/lists.h"
#include "snapshot/protocol/checkpoint_id.h"

namespace hearth::dynamo {
namespace {

using json::Value;

constexpr std::string_view kPrefix = "checkpoint.storage";
constexpr std::string_view kAgentLabel = "app.kubernetes.io/component";
constexpr std::string_view kAgent = "snapshot-agent";
constexpr std::string_view kAgentContainer = "agent";
constexpr std::string_view kAgentVolume = "checkpoints";
constexpr std::string_view kManyWriters = "ReadWriteMany";

bool SaysSomething(const StorageConfig& config) {
  return !config.pvc_name.empty() || !config.base_path.empty() || config.create ||
         !config.size.empty() || !config.storage_class.empty() || !config.access_mode.empty();
}

Status CheckCreation(const StorageConfig& config) {
  if (!config.access_mode.empty() && config.access_mode != kManyWriters &&
      config.access_mode != "ReadWriteOnce") {
    return InvalidError(
        fmt::format("{}.pvc.accessMode \"{}\" must be ReadWriteOnce or ReadWriteMany", kPrefix,
                    config.access_mode));
  }
  const auto size = json::Quantity::Parse(config.size);
  if (!size.ok() || *size <= json::Quantity()) {
    return InvalidError(
        fmt::format("{}.pvc.size \"{}\" must be a size above 0, such as 500Gi, when create is true",
                    kPrefix, config.size));
  }
  return {};
}

// The claim that a volume is; empty: it is none.
std::string_view ClaimOf(const Value& volume) {
  const Value* const claim = volume.Find("persistentVolumeClaim");
  return claim == nullptr ? std::string_view() : pods::Text(*claim, "claimName");
}

std::optional<Storage> StorageOfAgent(const Value& daemon_set) {
  const Value* const spec = daemon_set.FindPath("spec.template.spec");
  if (pods::Label(daemon_set, kAgentLabel) != kAgent || spec == nullptr) {
    return std::nullopt;
  }
  const Value* const agent = pods::FindNamed(*spec, "containers", kAgentContainer);
  const Value* const volume = pods::FindNamed(*spec, "volumes", kAgentVolume);
  const Value* const mount =
      agent == nullptr ? nullptr : pods::FindNamed(*agent, "volumeMounts", kAgentVolume);
  if (volume == nullptr || mount == nullptr || ClaimOf(*volume).empty()) {
    return std::nullopt;
  }
  return Storage{.pvc_name = std::string(ClaimOf(*volume)),
                 .base_path = std::string(pods::Text(*mount, "mountPath"))};
}

void AddVolume(const Storage& storage, Value& pod_spec) {
  pods::SetNamed(
      pod_spec, "volumes",
      Value::Object({{"name", kStorageVolume},
                     {"persistentVolumeClaim", Value::Object({{"claimName", storage.pvc_name}})}}));
}

// A folder of the storage, where it would be if all of it were mounted.
Value PartOf(const Storage& storage, const std::string& folder) {
  return Value::Object({{"name", kStorageVolume},
                        {"mountPath", fmt::format("{}/{}", storage.base_path, folder)},
                        {"subPath", folder}});
}

std::string MemoryFolder(const std::string& checkpoint_id) {
  return fmt::format("{}/{}", snapshot::kGmsFolder, checkpoint_id);
}

}  // namespace

Result<std::optional<Storage>> ConfiguredStorage(const StorageConfig& config) {
  const bool old_type = config.type == "s3" || config.type == "oci";
  if (!config.type.empty() && config.type != "pvc" && !old_type) {
    return InvalidError(fmt::format("{}.type \"{}\" is unknown; it is pvc", kPrefix, config.type));
  }
  if (!SaysSomething(config)) {
    return std::optional<Storage>();
  }
  if (old_type) {
    return InvalidError(
        fmt::format("{}.type \"{}\" was never supported; it is pvc", kPrefix, config.type));
  }
  if (config.pvc_name.empty()) {
    return InvalidError(fmt::format("{}.pvc.pvcName is required", kPrefix));
  }
  const std::filesystem::path path(config.base_path);
  if (!path.is_absolute()) {
    return InvalidError(
        fmt::format("{}.pvc.basePath \"{}\" must be an absolute path", kPrefix, config.base_path));
  }
  if (config.create) {
    RETURN_IF_ERROR(CheckCreation(config));
  }
  std::string clean = path.lexically_normal().string();
  if (clean.size() > 1 && clean.ends_with('/')) {
    clean.pop_back();
  }
  return std::optional(
      Storage{.pvc_name = config.pvc_name, .base_path = std::move(clean), .configured = true});
}

Value RenderStorageClaim(const StorageConfig& config, std::string_view name_space) {
  CHECK(config.create);
  Value claim = Value::Object(
      {{"apiVersion", "v1"},
       {"kind", "PersistentVolumeClaim"},
       {"metadata", Value::Object({{"name", config.pvc_name}, {"namespace", name_space}})}});
  pods::SetLabel(claim, "app.kubernetes.io/name", "dynamo");
  pods::SetLabel(claim, "app.kubernetes.io/component", "checkpoint-storage");
  pods::SetLabel(claim, "app.kubernetes.io/managed-by", "dynamo-operator");
  const std::string_view mode =
      config.access_mode.empty() ? kManyWriters : std::string_view(config.access_mode);
  Value spec = Value::Object(
      {{"accessModes", Value::Array({mode})},
       {"resources", Value::Object({{"requests", Value::Object({{"storage", config.size}})}})},
       {"volumeMode", "Filesystem"}});
  if (!config.storage_class.empty()) {
    spec.Set("storageClassName", config.storage_class);
  }
  claim.Set("spec", std::move(spec));
  return claim;
}

Status NoStorageClaim(const Storage& storage, std::string_view name_space) {
  return NotFoundError(
      fmt::format("checkpoint storage PVC {}/{} does not exist and "
                  "checkpoint.storage.pvc.create is false",
                  name_space, storage.pvc_name));
}

std::optional<Storage> StorageOfAgents(const std::vector<Value>& daemon_sets) {
  for (const Value& daemon_set : daemon_sets) {
    if (auto storage = StorageOfAgent(daemon_set)) {
      return storage;
    }
  }
  return std::nullopt;
}

Result<std::string> MemoryDirectory(const Storage& storage, std::string_view checkpoint_id,
                                    std::string_view version) {
  ASSIGN_OR_RETURN(const auto layout, snapshot::StorageLayout::Create(storage.base_path));
  return layout.Gms(checkpoint_id, version);
}

void TellStorage(const Storage& storage, Value& pod) {
  if (storage.configured) {
    pods::SetAnnotation(pod, kStorageType, "pvc");
    pods::SetAnnotation(pod, kStoragePath, storage.base_path);
  }
}

void MountStorage(const Storage& storage, Value& pod_spec, Value& container) {
  AddVolume(storage, pod_spec);
  pods::SetItem(container, "volumeMounts", "mountPath",
                Value::Object({{"name", kStorageVolume}, {"mountPath", storage.base_path}}));
}

void MountCheckpoint(const Storage& storage, const std::string& checkpoint_id, bool with_memory,
                     Value& pod_spec, Value& container) {
  AddVolume(storage, pod_spec);
  Value mount = PartOf(storage, checkpoint_id);
  mount.Set("readOnly", true);
  pods::SetItem(container, "volumeMounts", "mountPath", std::move(mount));
  if (with_memory) {
    Value memory = PartOf(storage, MemoryFolder(checkpoint_id));
    memory.Set("readOnly", true);
    pods::SetItem(container, "volumeMounts", "mountPath", std::move(memory));
  }
}

void MountMemory(const Storage& storage, const std::string& checkpoint_id, Value& pod_spec,
                 Value& container) {
  AddVolume(storage, pod_spec);
  pods::SetItem(container, "volumeMounts", "mountPath",
                PartOf(storage, MemoryFolder(checkpoint_id)));
}

}  // namespace hearth::dynamo
