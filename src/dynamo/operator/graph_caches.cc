#include "dynamo/operator/graph_caches.h"

#include <algorithm>
#include <utility>

#include "dynamo/model/labels.h"
#include "dynamo/render/registry_secrets.h"

namespace hearth::dynamo {
namespace {

constexpr const char* kAccessLabels =
    "app.kubernetes.io/managed-by=dynamo-operator,app.kubernetes.io/component=rbac";

template <typename P>
std::optional<controller::Cached<P>> WatchIf(bool there, controller::Manager& manager,
                                             const kube::ResourceType& type,
                                             controller::WatchSpec spec) {
  if (!there) {
    return std::nullopt;
  }
  return manager.Watch<P>(type, std::move(spec));
}

controller::WatchSpec OfGraphs(const std::string& name_space,
                               std::vector<controller::Index> indexes = {}) {
  return {{.name_space = name_space, .label_selector = std::string(kGraphLabel)},
          std::move(indexes)};
}

controller::WatchSpec Within(const std::string& name_space,
                             std::vector<controller::Index> indexes = {}) {
  return {{.name_space = name_space}, std::move(indexes)};
}

}  // namespace

GraphCaches::GraphCaches(controller::Manager& manager, const GraphFeatures& features,
                         const std::string& name_space,
                         std::function<bool(std::string_view name_space)> included)
    : graphs(manager.Watch<GraphFields>(Graphs(), Within(name_space, {GraphsByCheckpoint()}))),
      components(manager.Watch<ChildComponentFields>(
          ComponentDeployments(),
          Within(name_space, {controller::IndexByOwner(), ComponentsByCheckpoint()}))),
      checkpoints(manager.Watch<CheckpointFields>(
          Checkpoints(), Within(name_space, {CheckpointsById(), ByGraph()}))),
      deployments(
          manager.Watch<DeploymentFields>(kube::types::Deployments(), OfGraphs(name_space))),
      services(manager.Watch<ServiceFields>(kube::types::Services(), OfGraphs(name_space))),
      accounts(manager.Watch<AccountFields>(
          kube::types::ServiceAccounts(),
          {{.name_space = name_space, .label_selector = kAccessLabels}, {}})),
      roles(manager.Watch<RoleFields>(
          Roles(), {{.name_space = name_space, .label_selector = kAccessLabels}, {}})),
      role_bindings(manager.Watch<RoleBindingFields>(
          RoleBindings(), {{.name_space = name_space, .label_selector = kAccessLabels}, {}})),
      registry_secrets(manager.Watch<RegistrySecretFields>(
          kube::types::Secrets(),
          {{.name_space = name_space, .field_selector = "type=kubernetes.io/dockerconfigjson"},
           {}})),
      sets(WatchIf<CliqueSetFields>(features.grove, manager, CliqueSets(),
                                    Within(name_space, {controller::IndexByOwner()}))),
      cliques(WatchIf<ScaledFields>(features.grove, manager, Cliques(), Within(name_space))),
      groups(WatchIf<ScaledFields>(features.grove, manager, ScalingGroups(), Within(name_space))),
      claim_templates(WatchIf<ClaimTemplateFields>(features.claims, manager, ClaimTemplates(),
                                                   OfGraphs(name_space, {ByGraph()}))),
      device_classes(
          WatchIf<DeviceClassFields>(features.claims, manager, DeviceClasses(), Within(""))),
      includes(std::move(included)) {}

PullSecrets GraphCaches::PullSecretsIn(const std::string& name_space) const {
  return [secrets = registry_secrets, name_space](std::string_view image) {
    std::vector<std::string> names;
    for (const auto& secret : secrets.List(name_space)) {
      const auto registries = RegistriesOf(secret->view()["data"]);
      if (std::any_of(registries.begin(), registries.end(),
                      [&](const std::string& registry) { return Serves(registry, image); })) {
        names.emplace_back(secret->name());
      }
    }
    return names;
  };
}

std::optional<CheckpointFacts> GraphCaches::FindCheckpoint(const kube::ObjectKey& key) const {
  const auto cached = checkpoints.Get(key);
  if (!cached) {
    return std::nullopt;
  }
  auto facts = ReadCheckpoint(**cached);
  if (!facts.ok()) {
    return std::nullopt;
  }
  return *std::move(facts);
}

Result<CheckpointFacts> ReadCheckpoint(const controller::CachedObject& object) {
  ASSIGN_OR_RETURN(CheckpointFacts facts, CheckpointFacts::From(object.view()));
  facts.name = object.name();
  facts.name_space = object.name_space();
  facts.uid = object.uid();
  facts.generation = object.generation();
  facts.deleting = object.deleting();
  return facts;
}

}  // namespace hearth::dynamo
