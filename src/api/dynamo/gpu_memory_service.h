#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/dynamo/gms_client.h"
#include "api/table/struct_table.h"

namespace hearth::api::dynamo {

// Where the server that owns GPU memory runs: beside the engine in its pod, or in a pod of its own.
enum class GpuMemoryMode { kIntraPod, kInterPod };

constexpr std::pair<const char*, GpuMemoryMode> kGpuMemoryModes[] = {
    {"IntraPod", GpuMemoryMode::kIntraPod}, {"InterPod", GpuMemoryMode::kInterPod}};
constexpr const auto& EnumNames(GpuMemoryMode) { return kGpuMemoryModes; }

// Reserved: pods that share the memory of an inter-pod server.
struct GmsClientPod {
  std::string name;
  json::Value pod_template;
  static const StructTable& Fields();
};

// The GPU memory service of a component. That it is there turns it on.
struct GpuMemoryService {
  GpuMemoryMode mode = GpuMemoryMode::kIntraPod;
  std::string device_class_name = "gpu.nvidia.com";
  std::vector<std::string> extra_client_containers;
  std::vector<GmsClientPod> extra_client_pods;
  std::optional<GmsCheckpoint> checkpoint;
  static const StructTable& Fields();
};

namespace v1alpha1 {

enum class GpuMemoryMode { kIntraPod, kInterPod };

constexpr std::pair<const char*, GpuMemoryMode> kGpuMemoryModes[] = {
    {"intraPod", GpuMemoryMode::kIntraPod}, {"interPod", GpuMemoryMode::kInterPod}};
constexpr const auto& EnumNames(GpuMemoryMode) { return kGpuMemoryModes; }

// As older versions and DynamoCheckpoint have it: turned on by a flag.
struct GpuMemoryService {
  bool enabled = false;
  GpuMemoryMode mode = GpuMemoryMode::kIntraPod;
  std::string device_class_name = "gpu.nvidia.com";
  std::vector<std::string> extra_client_containers;
  std::vector<GmsClientPod> extra_client_pods;
  std::optional<GmsCheckpoint> checkpoint;
  static const StructTable& Fields();
};

}  // namespace v1alpha1
}  // namespace hearth::api::dynamo
