#include "admission/dynamo/internal/component_facts.h"

#include <algorithm>
#include <string>

#include "admission/rules/reading.h"
#include "api/dynamo/constants.h"
#include "json/quantity.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;

bool IsInterPod(const Value* feature) {
  return feature != nullptr && Text(feature->Find("mode")) == "InterPod";
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return lower;
}

bool IsGpu(std::string_view resource) {
  const std::string name = Lower(resource);
  return name == "gpu" || name.ends_with("/gpu") || name.find("/mig-") != std::string::npos ||
         name.starts_with("gpu.");
}

// Of several the first by name, so that every reader takes the same one.
const Value::Member* FirstGpu(const Value* resources) {
  const Value::Member* first = nullptr;
  for (const Value::Member& member : Members(resources)) {
    if (IsGpu(member.first) && (first == nullptr || member.first < first->first)) {
      first = &member;
    }
  }
  return first;
}

std::optional<int64_t> WholeNumber(const Value& quantity) {
  if (const auto number = Integer(&quantity); number.has_value()) {
    return number;
  }
  const auto parsed = json::Quantity::Parse(Text(&quantity));
  return parsed.ok() ? parsed->ToInt() : std::nullopt;
}

}  // namespace

ComponentFacts::ComponentFacts(const Value& component)
    : value(component),
      name(Text(component.Find("name"))),
      type(Text(component.Find("type"))),
      memory(ObjectOrNull(component.FindPath("experimental.gpuMemoryService"))),
      failover(ObjectOrNull(component.FindPath("experimental.failover"))),
      checkpoint(ObjectOrNull(component.FindPath("experimental.checkpoint"))),
      pod(ObjectOrNull(component.FindPath("podTemplate.spec"))),
      containers(At(pod, "containers")),
      main(FindNamed(containers, api::dynamo::kMainContainer)) {
  if (!IsTrue(At(checkpoint, "enabled"))) {
    checkpoint = nullptr;
  }
  if (const Value* multinode = ObjectOrNull(component.Find("multinode")); multinode != nullptr) {
    nodes = std::max<int64_t>(1, Integer(multinode->Find("nodeCount")).value_or(2));
  }
}

bool ComponentFacts::InterPodMemory() const { return IsInterPod(memory); }
bool ComponentFacts::InterPodFailover() const { return IsInterPod(failover); }

int64_t ComponentFacts::Shadows() const {
  return failover == nullptr
             ? 0
             : std::max<int64_t>(1, Integer(failover->Find("numShadows")).value_or(1));
}

std::optional<int64_t> GpuCount(const Value* container) {
  const Value::Member* gpu = FirstGpu(At(container, "resources.limits"));
  if (gpu == nullptr) {
    gpu = FirstGpu(At(container, "resources.requests"));
  }
  return gpu == nullptr ? 0 : WholeNumber(gpu->second);
}

}  // namespace hearth::admission::dynamo
