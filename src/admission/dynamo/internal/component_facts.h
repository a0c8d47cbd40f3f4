#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "json/value.h"

namespace hearth::admission::dynamo {

// What rules ask of one component, read once. Points into the component, which must outlive it.
struct ComponentFacts {
  explicit ComponentFacts(const json::Value& component);

  const json::Value& value;
  std::string_view name;
  std::string_view type;
  const json::Value* memory = nullptr;      // gpuMemoryService; null: off
  const json::Value* failover = nullptr;    // null: off
  const json::Value* checkpoint = nullptr;  // null: off, be it by enabled: false
  const json::Value* pod = nullptr;         // the spec of podTemplate
  const json::Value* containers = nullptr;  // of it
  const json::Value* main = nullptr;        // the container
  int64_t nodes = 1;

  bool IsWorker() const { return type == "worker" || type == "prefill" || type == "decode"; }
  bool InterPodMemory() const;
  bool InterPodFailover() const;
  bool IntraPodFailover() const { return failover != nullptr && !InterPodFailover(); }
  int64_t Shadows() const;  // engines that stand by; 0 without failover
};

// GPUs of a container: of the limits, else of the requests. Nothing when it is no whole number.
std::optional<int64_t> GpuCount(const json::Value* container);

}  // namespace hearth::admission::dynamo
