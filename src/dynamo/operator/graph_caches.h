#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "controller/manager.h"
#include "dynamo/checkpoint/checkpoint_facts.h"
#include "dynamo/operator/resources.h"
#include "dynamo/render/pod_request.h"

namespace hearth::dynamo {

// What the cluster has that graphs may use.
struct GraphFeatures {
  bool grove = true;   // PodCliqueSets
  bool claims = true;  // resource.k8s.io/v1
};

// What the controllers of graphs and components look at. Only objects that carry our labels are
// watched, but for what users write, device classes (of which nothing but their names is kept) and
// sets. Copies are cheap.
struct GraphCaches {
  // Declares the watches; before the manager runs.
  GraphCaches(controller::Manager& manager, const GraphFeatures& features,
              const std::string& name_space,
              std::function<bool(std::string_view name_space)> includes);

  // Whether objects of a namespace are ours to look after.
  bool Include(std::string_view name_space) const { return !includes || includes(name_space); }
  // Looks Secrets of the namespace up for images; in the order of their names.
  PullSecrets PullSecretsIn(const std::string& name_space) const;
  // Nothing when it is not there, or cannot be read.
  std::optional<CheckpointFacts> FindCheckpoint(const kube::ObjectKey& key) const;

  controller::Cached<GraphFields> graphs;
  controller::Cached<ChildComponentFields> components;
  controller::Cached<CheckpointFields> checkpoints;
  controller::Cached<DeploymentFields> deployments;
  controller::Cached<ServiceFields> services;
  controller::Cached<AccountFields> accounts;
  controller::Cached<RoleFields> roles;
  controller::Cached<RoleBindingFields> role_bindings;
  controller::Cached<RegistrySecretFields> registry_secrets;
  std::optional<controller::Cached<CliqueSetFields>> sets;
  std::optional<controller::Cached<ScaledFields>> cliques;
  std::optional<controller::Cached<ScaledFields>> groups;
  std::optional<controller::Cached<ClaimTemplateFields>> claim_templates;
  std::optional<controller::Cached<DeviceClassFields>> device_classes;
  std::function<bool(std::string_view name_space)> includes;  // not said: all
};

// A cached DynamoCheckpoint, whole.
Result<CheckpointFacts> ReadCheckpoint(const controller::CachedObject& object);

}  // namespace hearth::dynamo
