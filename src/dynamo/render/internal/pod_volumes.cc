#include "dynamo/render/internal/pod_volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "dynamo/render/internal/engine_flags.h"
#include "json/quantity.h"
#include "pods/lists.h"

namespace hearth::dynamo::internal {
namespace {

using json::Value;

constexpr std::string_view kSharedMemory = "shared-memory";
constexpr std::string_view kSharedMemoryPath = "/dev/shm";
constexpr std::string_view kSharedMemoryDefault = "8Gi";

Value ClaimVolume(std::string_view name) {
  return Value::Object(
      {{"name", name}, {"persistentVolumeClaim", Value::Object({{"claimName", name}})}});
}

bool IsZero(const Value& size) {
  const std::string text = size.IsString() ? size.string() : size.Write();
  const auto quantity = json::Quantity::Parse(text);
  return quantity.ok() && *quantity == json::Quantity();
}

}  // namespace

Status AddCompilationCache(const api::dynamo::ComponentSpec& component, std::string_view engine,
                           Value& pod_spec, Value& main) {
  if (!component.compilation_cache) {
    return {};
  }
  const std::string& claim = component.compilation_cache->pvc_name;
  std::string path = component.compilation_cache->mount_path;
  if (path.empty()) {
    path = DefaultCachePath(engine);
  }
  if (path.empty()) {
    return InvalidError(
        fmt::format("component \"{}\": compilationCache.mountPath is needed, for {} has no place "
                    "of its own",
                    component.name, engine.empty() ? "this component" : engine));
  }
  const Value* const there = pods::FindItem(main, "volumeMounts", "mountPath", path);
  if (there == nullptr) {
    pods::MakeItems(main, "volumeMounts")
        .push_back(Value::Object({{"name", claim}, {"mountPath", path}}));
  } else if (pods::Text(*there, "name") != claim) {
    return InvalidError(
        fmt::format("component \"{}\": compilationCache.mountPath {} is where volume \"{}\" is "
                    "mounted already",
                    component.name, path, pods::Text(*there, "name")));
  } else if (const Value* const only = there->Find("readOnly");
             only != nullptr && *only == Value(true)) {
    return InvalidError(
        fmt::format("component \"{}\": the compilation cache at {} is mounted read-only",
                    component.name, path));
  }
  if (pods::FindNamed(pod_spec, "volumes", claim) == nullptr) {
    pods::MakeItems(pod_spec, "volumes").push_back(ClaimVolume(claim));
  }
  return {};
}

void AddSharedMemory(const Value& size, Value& pod_spec, Value& main) {
  if (!size.IsNull() && IsZero(size)) {
    return;
  }
  const Value limit = size.IsNull() ? Value(kSharedMemoryDefault) : size;
  pods::SetNamed(
      pod_spec, "volumes",
      Value::Object({{"name", kSharedMemory},
                     {"emptyDir", Value::Object({{"medium", "Memory"}, {"sizeLimit", limit}})}}));
  if (pods::FindItem(main, "volumeMounts", "mountPath", kSharedMemoryPath) == nullptr) {
    pods::MakeItems(main, "volumeMounts")
        .push_back(Value::Object({{"name", kSharedMemory}, {"mountPath", kSharedMemoryPath}}));
  }
}

void CompleteVolumes(const Value& main, Value& pod_spec) {
  Value::Items ordered;
  Value::Items rest = pods::Items(pod_spec, "volumes");
  for (const Value& mount : pods::Items(main, "volumeMounts")) {
    const std::string_view name = pods::Text(mount, "name");
    const auto is_it = [&](const Value& volume) { return pods::Text(volume, "name") == name; };
    if (std::any_of(ordered.begin(), ordered.end(), is_it)) {
      continue;
    }
    const auto there = std::find_if(rest.begin(), rest.end(), is_it);
    if (there == rest.end()) {
      ordered.push_back(ClaimVolume(name));
    } else {
      ordered.push_back(std::move(*there));
      rest.erase(there);
    }
  }
  ordered.insert(ordered.end(), std::make_move_iterator(rest.begin()),
                 std::make_move_iterator(rest.end()));
  if (!ordered.empty()) {
    pod_spec.Set("volumes", Value::FromItems(std::move(ordered)));
  }
}

}  // namespace hearth::dynamo::internal
