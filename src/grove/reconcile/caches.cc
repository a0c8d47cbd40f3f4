#include "grove/reconcile/caches.h"

#include <fmt/format.h>

#include "grove/model/labels.h"

namespace hearth::grove {
namespace {

using controller::WatchSpec;

// Objects that a controller of sets made, or an upstream one before it.
WatchSpec Ours(const std::string& name_space, std::vector<controller::Index> more = {}) {
  WatchSpec spec;
  spec.scope.name_space = name_space;
  spec.scope.label_selector = fmt::format("{}={}", kManagedByLabel, kManagedBy);
  spec.indexes = std::move(more);
  spec.indexes.push_back(ByLabelInNamespace(kBySet, kPartOfLabel));
  return spec;
}

WatchSpec Claims(const std::string& name_space) {
  WatchSpec spec = Ours(name_space, {controller::IndexByOwner()});
  spec.scope.label_selector += fmt::format(",{}={}", kComponentLabel, component::kClaim);
  return spec;
}

WatchSpec All(const std::string& name_space, std::vector<controller::Index> indexes = {}) {
  return {.scope = {.name_space = name_space, .label_selector = "", .field_selector = ""},
          .indexes = std::move(indexes)};
}

}  // namespace

GroveCaches::GroveCaches(controller::Manager& manager, std::optional<claims::ApiVersion> served,
                         const std::string& name_space,
                         std::function<bool(std::string_view name_space)> which)
    : sets(manager.Watch<SetFields>(PodCliqueSets(),
                                    All(name_space, {SetsByTemplate(), SetsByTopology()}))),
      groups(manager.Watch<GroupFields>(PodCliqueScalingGroups(),
                                        Ours(name_space, {GroupsByReplica()}))),
      cliques(manager.Watch<CliqueFields>(
          PodCliques(),
          Ours(name_space, {controller::IndexByOwner(), ByLabelInNamespace(kByGang, kGangLabel),
                            ByLabelInNamespace(kByBaseGang, kBaseGangLabel), CliquesByPlace()}))),
      pods(manager.Watch<PodFields>(
          kube::types::Pods(),
          Ours(name_space, {controller::IndexByOwner(), ByLabelInNamespace(kByClique, kCliqueLabel),
                            ByLabelInNamespace(kByGang, kGangLabel), PodsByClaim()}))),
      gangs(manager.Watch<GangFields>(PodGangs(), Ours(name_space, {GangsByReplica()}))),
      services(manager.Watch<ServiceFields>(kube::types::Services(), Ours(name_space))),
      accounts(manager.Watch<AccountFields>(kube::types::ServiceAccounts(), Ours(name_space))),
      roles(manager.Watch<RoleFields>(Roles(), Ours(name_space))),
      role_bindings(manager.Watch<RoleBindingFields>(RoleBindings(), Ours(name_space))),
      secrets(manager.Watch<SecretFields>(kube::types::Secrets(), Ours(name_space))),
      autoscalers(manager.Watch<AutoscalerFields>(HorizontalPodAutoscalers(), Ours(name_space))),
      topologies(manager.Watch<TopologyFields>(ClusterTopologyBindings())),
      claim_api(served),
      includes(std::move(which)) {
  if (served) {
    claims = manager.Watch<ClaimFields>(claims::ResourceClaims(*served), Claims(name_space));
    // Templates may be in any name space.
    claim_templates =
        manager.Watch<ClaimTemplateFields>(claims::ResourceClaimTemplates(*served), All(""));
  }
}

}  // namespace hearth::grove
