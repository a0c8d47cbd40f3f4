#include "dynamo/render/clique_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/dynamo/constants.h"
#include "api/grove/constants.h"
#include "dynamo/model/labels.h"
#include "dynamo/model/names.h"
#include "dynamo/render/component_pod.h"
#include "dynamo/render/gpu_claim.h"
#include "dynamo/render/shared_memory_pods.h"
#include "pods/gpus.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
namespace grv = api::grove;
using json::Value;

constexpr std::string_view kRankRequest = "gpu";

// Where a pod of several nodes finds the first of them. Variables are Grove's.
GroveNames NamesFor(const dyn::ComponentSpec& component, const CliqueOutline& clique) {
  GroveNames names;
  const bool shared = HasInterPodMemory(component);
  names.leader_host =
      fmt::format("$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-{}-{}.$(GROVE_HEADLESS_SERVICE)",
                  LeaderClique(component.name), shared ? "$(GROVE_PCLQ_POD_INDEX)" : "0");
  if (shared) {
    names.node_rank = std::to_string(clique.rank);
  } else {
    names.node_rank = "$((GROVE_PCLQ_POD_INDEX + 1))";
    names.rank_needs_shell = true;
  }
  return names;
}

std::map<std::string, std::string> Strings(const Value* map) {
  std::map<std::string, std::string> strings;
  if (map != nullptr && map->IsObject()) {
    for (const auto& [key, value] : map->members()) {
      strings[key] = value.StringOr("");
    }
  }
  return strings;
}

class SetBuilder {
 public:
  explicit SetBuilder(const GraphRequest& request) : request_(request) {}

  Result<Value> Run() {
    for (const dyn::ComponentSpec& component : request_.graph.spec.components) {
      RETURN_IF_ERROR(Add(WithGraphDefaults(request_.graph, component)));
    }
    spec_.replicas = 1;
    grv::PodCliqueSetTemplate& parts = spec_.set_template;
    parts.headless_service.emplace();
    parts.termination_delay = request_.grove.termination_delay;
    parts.priority_class_name = request_.graph.spec.priority_class_name;
    const bool ordered = std::any_of(
        parts.cliques.begin(), parts.cliques.end(),
        [](const grv::CliqueTemplate& clique) { return !clique.spec.starts_after.empty(); });
    parts.startup_type = ordered ? grv::StartupType::kExplicit : grv::StartupType::kAnyOrder;
    if (const auto& topology = request_.graph.spec.topology_constraint) {
      parts.topology_constraint.emplace();
      parts.topology_constraint->topology_name = topology->cluster_topology_name;
      parts.topology_constraint->pack_domain = topology->pack_domain;
    }
    if (request_.graph.Annotation(dyn::kGroveUpdateStrategy) == "OnDelete") {
      spec_.update_strategy.emplace().type = grv::UpdateStrategyType::kOnDelete;
    }
    return Object();
  }

 private:
  const ComponentState& StateOf(const dyn::ComponentSpec& component) const {
    static const ComponentState kPlain;
    const auto found = request_.components.find(component.name);
    return found == request_.components.end() ? kPlain : found->second;
  }

  Status Add(const dyn::ComponentSpec& component) {
    const std::vector<CliqueOutline> outlines = CliquesOf(component);
    ASSIGN_OR_RETURN(const int64_t gpus, GpusOf(component));
    for (const CliqueOutline& outline : outlines) {
      ASSIGN_OR_RETURN(grv::CliqueTemplate clique, Clique(component, outline, gpus));
      spec_.set_template.cliques.push_back(std::move(clique));
    }
    if (NeedsScalingGroup(component)) {
      AddGroup(component, outlines, gpus);
    }
    return {};
  }

  static Result<int64_t> GpusOf(const dyn::ComponentSpec& component) {
    const Value* const spec = component.pod_template.Find("spec");
    const Value* const main =
        spec == nullptr ? nullptr : pods::FindNamed(*spec, "containers", dyn::kMainContainer);
    if (main == nullptr) {
      return 0;
    }
    return pods::GpuCount(*main).WithContext(fmt::format("component \"{}\"", component.name));
  }

  Rank RankOf(const dyn::ComponentSpec& component, int32_t number, int64_t gpus) const {
    return {.name_space = request_.graph.name_space,
            .graph_uid = request_.graph.uid,
            .number = number,
            .gpus = gpus,
            .failover = HasInterPodFailover(component)};
  }

  Result<Value> Pod(const dyn::ComponentSpec& component, const CliqueOutline& outline,
                    int64_t gpus) const {
    const ComponentState& state = StateOf(component);
    const PodRequest request{.graph = request_.graph,
                             .component = component,
                             .surroundings = request_.surroundings,
                             .worker_hash = state.worker_hash,
                             .role = outline.role,
                             .nodes = outline.memory_server ? 1 : NodesOf(component),
                             .grove = NamesFor(component, outline),
                             .checkpoint_ready = state.checkpoint_ready,
                             .claim_template = state.claim_template,
                             .pull_secrets = request_.pull_secrets};
    ASSIGN_OR_RETURN(Value pod, RenderComponentPod(request));
    if (!HasInterPodMemory(component)) {
      return pod;
    }
    const Rank rank = RankOf(component, outline.rank, gpus);
    if (outline.memory_server) {
      return MemoryServerPod(pod, rank);
    }
    RETURN_IF_ERROR(UseMemoryServer(pod, rank));
    if (rank.failover) {
      pods::SetLabel(pod, kFailoverMemberLabel, "true");
    }
    return pod;
  }

  Result<grv::CliqueTemplate> Clique(const dyn::ComponentSpec& component,
                                     const CliqueOutline& outline, int64_t gpus) const {
    ASSIGN_OR_RETURN(Value pod, Pod(component, outline, gpus));
    if (request_.shape) {
      RETURN_IF_ERROR(request_.shape(component, outline, pod));
    }
    grv::CliqueTemplate clique;
    clique.name = outline.name;
    clique.labels = Strings(pod.FindPath("metadata.labels"));
    clique.annotations = Strings(pod.FindPath("metadata.annotations"));
    clique.labels[std::string(kSelectorLabel)] = ServiceName(request_.graph.name, component.name);
    clique.spec.role_name = outline.name;
    clique.spec.replicas =
        StateOf(component).waits && !outline.memory_server ? 0 : outline.replicas;
    clique.spec.min_available = outline.min_available;
    clique.spec.pod_spec = *pod.Find("spec");
    if (HasInterPodMemory(component) && !outline.memory_server) {
      clique.spec.starts_after = {MemoryClique(component.name, outline.rank)};
    }
    if (component.topology_constraint && !NeedsScalingGroup(component)) {
      clique.topology_constraint.emplace().pack_domain = component.topology_constraint->pack_domain;
    }
    return clique;
  }

  void AddGroup(const dyn::ComponentSpec& component, const std::vector<CliqueOutline>& outlines,
                int64_t gpus) {
    grv::ScalingGroupTemplate group;
    group.name = Lower(component.name);
    for (const CliqueOutline& outline : outlines) {
      group.clique_names.push_back(outline.name);
    }
    group.replicas = StateOf(component).waits ? 0 : component.replicas.value_or(1);
    group.min_available = component.min_available.value_or(1);
    if (component.topology_constraint) {
      group.topology_constraint.emplace().pack_domain = component.topology_constraint->pack_domain;
    }
    if (HasInterPodMemory(component)) {
      ShareRanks(component, outlines, gpus, group);
    }
    spec_.set_template.scaling_groups.push_back(std::move(group));
  }

  // The devices of a rank, for its server and its engines and nobody else.
  void ShareRanks(const dyn::ComponentSpec& component, const std::vector<CliqueOutline>& outlines,
                  int64_t gpus, grv::ScalingGroupTemplate& group) {
    for (int32_t rank = 0; rank < NodesOf(component); ++rank) {
      const std::string name = RankClaimName(component.name, rank);
      spec_.set_template.resource_claim_templates.push_back(
          {name, ClaimTemplateSpec(kRankRequest, MemoryOf(component)->device_class_name, gpus)});
      grv::GroupResourceSharing sharing;
      sharing.name = name;
      sharing.scope = grv::SharingScope::kPerReplica;
      for (const CliqueOutline& outline : outlines) {
        if (outline.rank == rank) {
          if (!sharing.filter) {
            sharing.filter.emplace();
          }
          sharing.filter->child_clique_names.push_back(outline.name);
        }
      }
      group.resource_sharing.push_back(std::move(sharing));
    }
  }

  Value Object() const {
    Value set =
        Value::Object({{"apiVersion", fmt::format("{}/{}", grv::kGroup, grv::kVersion)},
                       {"kind", "PodCliqueSet"},
                       {"metadata", Value::Object({{"name", SetNameOf(request_.graph)},
                                                   {"namespace", request_.graph.name_space}})}});
    pods::SetLabel(set, kGraphLabel, request_.graph.name);
    const std::string_view queue = request_.graph.Annotation(kKaiQueueAnnotation);
    if (!queue.empty()) {
      pods::SetAnnotation(set, kKaiQueueAnnotation, queue);
    }
    set.Set("spec", api::Encoded(spec_));
    return set;
  }

  const GraphRequest& request_;
  grv::PodCliqueSetSpec spec_;
};

}  // namespace

bool NeedsScalingGroup(const dyn::ComponentSpec& component) {
  return NodesOf(component) > 1 || HasInterPodMemory(component);
}

std::vector<CliqueOutline> CliquesOf(const dyn::ComponentSpec& component) {
  const int32_t nodes = NodesOf(component);
  if (!NeedsScalingGroup(component)) {
    return {{.name = Lower(component.name),
             .replicas = component.replicas.value_or(1),
             .min_available = component.min_available.value_or(1)}};
  }
  if (!HasInterPodMemory(component)) {
    return {{.name = LeaderClique(component.name), .role = Role::kLeader},
            {.name = WorkerClique(component.name),
             .role = Role::kWorker,
             .rank = 1,
             .replicas = nodes - 1,
             .min_available = nodes - 1}};
  }
  std::vector<CliqueOutline> cliques;
  for (int32_t rank = 0; rank < nodes; ++rank) {
    cliques.push_back({.name = MemoryClique(component.name, rank),
                       .role = Role::kAlone,
                       .rank = rank,
                       .memory_server = true});
    CliqueOutline engine{.rank = rank, .replicas = EnginesPerRank(component)};
    if (nodes == 1) {
      engine.name = Lower(component.name);
    } else if (rank == 0) {
      engine.name = LeaderClique(component.name);
      engine.role = Role::kLeader;
    } else {
      engine.name = RankedWorkerClique(component.name, rank);
      engine.role = Role::kWorker;
    }
    cliques.push_back(std::move(engine));
  }
  return cliques;
}

size_t NameLength(const dyn::ComponentSpec& component) {
  size_t longest = 0;
  for (const CliqueOutline& clique : CliquesOf(component)) {
    longest = std::max(longest, clique.name.size());
  }
  return longest + (NeedsScalingGroup(component) ? component.name.size() : 0);
}

std::string SetNameOf(const GraphFacts& graph) {
  size_t longest = 0;
  for (const dyn::ComponentSpec& component : graph.spec.components) {
    longest = std::max(longest, NameLength(component));
  }
  return SetName(graph.name, longest);
}

Result<Value> RenderCliqueSet(const GraphRequest& request) { return SetBuilder(request).Run(); }

}  // namespace hearth::dynamo
