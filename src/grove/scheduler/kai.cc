// KAI: a PodGroup with a subgroup for each PodClique, made here and not by KAI's own grouper.
#include <map>
#include <set>
#include <utility>

#include "grove/model/labels.h"
#include "grove/scheduler/internal/backends.h"
#include "grove/scheduler/internal/gang_object.h"

namespace hearth::grove::internal {
namespace {

using api::grove::PodGangSpec;
using json::Value;

constexpr std::string_view kQueue = "kai.scheduler/queue";  // a label or an annotation
constexpr std::string_view kSkipGrouper = "kai.scheduler/skip-podgrouper";
constexpr std::string_view kGroupNameAnnotation = "pod-group-name";
constexpr std::string_view kSubgroupLabel = "kai.scheduler/subgroup-name";
constexpr std::string_view kOlderTopologyAnnotation = "kai.scheduler/topology";
constexpr std::string_view kOurPrefix = "hearth.dev/";  // about the gang object alone

std::string QueueOf(const Labels& labels, const Labels& annotations) {
  const std::string queue = Get(labels, kQueue);
  return queue.empty() ? Get(annotations, kQueue) : queue;
}

// That of the set, else the one that its cliques name; empty when they name several or none, which
// admission refuses.
std::string QueueOf(const SetFacts& set) {
  if (std::string queue = QueueOf(set.labels, set.annotations); !queue.empty()) {
    return queue;
  }
  std::set<std::string> queues;
  for (const auto& clique : set.parts().cliques) {
    if (std::string queue = QueueOf(clique.labels, clique.annotations); !queue.empty()) {
      queues.insert(std::move(queue));
    }
  }
  return queues.size() == 1 ? *queues.begin() : "";
}

std::string TopologyNameOf(const GangFacts& gang) {
  const std::string name = Get(gang.annotations, kTopologyNameAnnotation);
  return name.empty() ? Get(gang.annotations, kOlderTopologyAnnotation) : name;
}

void SetTopology(const std::optional<PodGangSpec::Topology>& topology, const std::string& name,
                 Value& object) {
  if (!topology || !topology->pack_constraint || name.empty()) {
    return;
  }
  Value constraint = Value::Object({{"topology", name}});
  if (!topology->pack_constraint->required.empty()) {
    constraint.Set("requiredTopologyLevel", topology->pack_constraint->required);
  }
  if (!topology->pack_constraint->preferred.empty()) {
    constraint.Set("preferredTopologyLevel", topology->pack_constraint->preferred);
  }
  object.Set("topologyConstraint", std::move(constraint));
}

// Combinations of groups first, then the groups, which name the combination they are in.
Value Subgroups(const GangFacts& gang) {
  const std::string topology = TopologyNameOf(gang);
  Value subgroups = Value::Array();
  std::map<std::string, std::string> parents;
  for (const auto& group : gang.spec.topology_groups) {
    Value subgroup =
        Value::Object({{"name", group.name},
                       {"minSubGroup", static_cast<int64_t>(group.pod_group_names.size())}});
    SetTopology(group.topology_constraint, topology, subgroup);
    subgroups.Append(std::move(subgroup));
    for (const std::string& name : group.pod_group_names) {
      parents[name] = group.name;
    }
  }
  for (const auto& group : gang.spec.pod_groups) {
    Value subgroup = Value::Object({{"name", group.name}, {"minMember", group.min_replicas}});
    if (const auto parent = parents.find(group.name); parent != parents.end()) {
      subgroup.Set("parent", parent->second);
    }
    SetTopology(group.topology_constraint, topology, subgroup);
    subgroups.Append(std::move(subgroup));
  }
  return subgroups;
}

class KaiBackend : public Backend {
 public:
  std::string_view name() const override { return "kai-scheduler"; }
  bool schedules_gangs() const override { return true; }

  void PreparePod(const CliqueFacts& clique, Value& pod) const override {
    pod["spec"].Set("schedulerName", name());
    Value& metadata = pod["metadata"];
    metadata["annotations"].Set(kSkipGrouper, "true");
    metadata["annotations"].Set(kGroupNameAnnotation, clique.gang);
    metadata["labels"].Set(kSubgroupLabel, clique.id.name);
  }

  // The queue of a set may stand at its cliques only; its gangs tell it on.
  void PrepareGang(const SetFacts& set, Value& gang) const override {
    Value& metadata = gang["metadata"];
    metadata["annotations"].Set(kSkipGrouper, "true");
    if (const std::string queue = QueueOf(set);
        !queue.empty() && QueueOf(set.labels, set.annotations).empty()) {
      metadata["labels"].Set(kQueue, queue);
    }
  }

  // The queue is the scheduler's once the group is there. What else it writes (node pool, backoff,
  // marks) is not in here and stays.
  std::optional<Value> RenderGroup(const GangFacts& gang, json::View existing) const override {
    Labels labels = gang.labels;
    const json::View queue_label = existing["metadata"]["labels"][kQueue];
    if (const std::string queue = queue_label.StringOr(""); !queue.empty()) {
      labels[std::string(kQueue)] = queue;
    }
    Labels annotations = gang.annotations;
    std::erase_if(annotations,
                  [](const auto& entry) { return entry.first.starts_with(kOurPrefix); });
    Value object = NewGangObject(*group_type(), gang, labels);
    if (!annotations.empty()) {
      object["metadata"].Set("annotations", api::Codec<Labels>::Encode(annotations));
    }
    Value spec = Value::Object({{"minMember", MinMembers(gang)}});
    std::string queue = existing["spec"]["queue"].StringOr("");
    if (queue.empty()) {
      queue = QueueOf(gang.labels, gang.annotations);
    }
    if (!queue.empty()) {
      spec.Set("queue", queue);
    }
    if (!gang.spec.priority_class_name.empty()) {
      spec.Set("priorityClassName", gang.spec.priority_class_name);
    }
    SetTopology(gang.spec.topology_constraint, TopologyNameOf(gang), spec);
    spec.Set("subGroups", Subgroups(gang));
    object.Set("spec", std::move(spec));
    return object;
  }

  const kube::ResourceType* group_type() const override {
    static const kube::ResourceType type{"scheduling.run.ai", "v2alpha2", "podgroups", "PodGroup",
                                         true};
    return &type;
  }
};

}  // namespace

std::unique_ptr<Backend> MakeKaiBackend() { return std::make_unique<KaiBackend>(); }

}  // namespace hearth::grove::internal
