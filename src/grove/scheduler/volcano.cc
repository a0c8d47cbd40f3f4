// Volcano, 1.14 and later: a PodGroup with a subgroup policy for each PodClique.
#include <algorithm>
#include <utility>

#include "grove/model/labels.h"
#include "grove/scheduler/internal/backends.h"
#include "grove/scheduler/internal/gang_object.h"

namespace hearth::grove::internal {
namespace {

using json::Value;

constexpr std::string_view kQueueAnnotation = "scheduling.grove.io/volcano-queue";

Value SubgroupPolicy(const api::grove::PodGangSpec::PodGroup& group) {
  const Labels clique = {{std::string(kCliqueLabel), group.name}};
  return Value::Object(
      {{"name", group.name},
       {"labelSelector", Value::Object({{"matchLabels", api::Codec<Labels>::Encode(clique)}})},
       {"matchLabelKeys", Value::Array({kCliqueLabel})},
       {"subGroupSize", std::max(group.min_replicas, 1)},
       {"minSubGroups", 1}});
}

class VolcanoBackend : public Backend {
 public:
  std::string_view name() const override { return "volcano"; }
  bool schedules_gangs() const override { return true; }

  void PreparePod(const CliqueFacts& clique, Value& pod) const override {
    pod["spec"].Set("schedulerName", name());
    Value& annotations = pod["metadata"]["annotations"];
    annotations.Set("scheduling.volcano.sh/group-name", clique.gang);
    annotations.Set("scheduling.k8s.io/group-name", clique.gang);
  }

  std::optional<Value> RenderGroup(const GangFacts& gang, json::View /*existing*/) const override {
    const std::string queue = Get(gang.annotations, kQueueAnnotation);
    Value object = NewGangObject(*group_type(), gang, gang.labels);
    Value spec = Value::Object({{"minMember", std::max(MinMembers(gang), 1)},
                                {"queue", queue.empty() ? "default" : queue}});
    if (!gang.spec.priority_class_name.empty()) {
      spec.Set("priorityClassName", gang.spec.priority_class_name);
    }
    Value policies = Value::Array();
    for (const auto& group : gang.spec.pod_groups) {
      policies.Append(SubgroupPolicy(group));
    }
    spec.Set("subGroupPolicy", std::move(policies));
    object.Set("spec", std::move(spec));
    return object;
  }

  const kube::ResourceType* group_type() const override {
    static const kube::ResourceType type{"scheduling.volcano.sh", "v1beta1", "podgroups",
                                         "PodGroup", true};
    return &type;
  }
};

}  // namespace

std::unique_ptr<Backend> MakeVolcanoBackend() { return std::make_unique<VolcanoBackend>(); }

}  // namespace hearth::grove::internal
