#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/dynamo/component.h"
#include "api/dynamo/pod_template.h"

namespace hearth::api::dynamo::internal {

// Only a graph needs it, to tell its components apart.
template <typename T>
Field NameField() {
  Field field(
      "name", static_cast<std::string T::*>(&ComponentSpec::name),
      String().MinLength(1).MaxLength(63).Pattern("^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$"),
      "Names the component; stays the same while its workloads are replaced. A "
      "DynamoComponentDeployment takes its own name when this is absent.");
  return std::is_same_v<T, ComponentSpec> ? std::move(field).Required() : std::move(field);
}

// The fields of a component for T, which is ComponentSpec or made from it: a
// DynamoComponentDeployment has them at the top of its spec.
template <typename T>
std::vector<Field> ComponentFields() {
  const auto in = []<typename M>(M ComponentSpec::*member) -> M T::* { return member; };
  return {
      NameField<T>(),
      Field("type", in(&ComponentSpec::type),
            "The role of the component: decides its ports, probes and default command line."),
      Field("globalDynamoNamespace", in(&ComponentSpec::global_dynamo_namespace),
            "Puts the component into the Dynamo namespace that all graphs share."),
      Field("podTemplate", in(&ComponentSpec::pod_template), ComponentPodTemplate(),
            "The pod. The container main is merged over what the operator makes for the type; "
            "every other container runs as it is and needs an image."),
      Field("replicas", in(&ComponentSpec::replicas), Integer32().Min(0),
            "How many instances are wanted; 1 when absent."),
      Field("minAvailable", in(&ComponentSpec::min_available), Integer32().Min(1),
            "Instances that are scheduled together and below which all are started anew. With "
            "Grove only, where it is 1 when absent; cannot be changed."),
      Field("multinode", in(&ComponentSpec::multinode),
            "One instance spans several nodes. Cannot be added or taken away later."),
      Field("sharedMemorySize", in(&ComponentSpec::shared_memory_size),
            // Asks for the sign only: the server takes a quantity for as long as a request, and
            // reading one that often is more than a rule may cost.
            Quantity().Rule("type(self) == int ? self >= 0 : !self.startsWith('-') || self == '-0'",
                            "must be non-negative"),
            "Size of /dev/shm: 8Gi when absent, none at all when 0."),
      Field("modelRef", in(&ComponentSpec::model_ref),
            "The model that is served. Makes a headless Service for discovery."),
      Field("scalingAdapter", in(&ComponentSpec::scaling_adapter),
            "When set, be it empty, replicas belong to an external scaler. Accepted; this operator "
            "has no scaling adapter and says so in a condition."),
      Field("eppConfig", in(&ComponentSpec::epp_config),
            "Configuration of the endpoint picker. Only with type epp."),
      Field("frontendSidecar", in(&ComponentSpec::frontend_sidecar),
            "Name of a container of podTemplate that gets the defaults of a frontend."),
      Field("compilationCache", in(&ComponentSpec::compilation_cache),
            "A volume that keeps what the engine compiles."),
      Field("topologyConstraint", in(&ComponentSpec::topology_constraint),
            "Where the pods of an instance must be together. Cannot be changed."),
      Field("experimental", in(&ComponentSpec::experimental),
            "Features that may still change between versions.")};
}

// What both versions say of replicas and minAvailable.
inline std::vector<schema::Rule> MinAvailableRules() {
  return {{.rule = "!has(self.minAvailable) || (has(self.replicas) ? self.replicas == 0 || "
                   "self.minAvailable <= self.replicas : self.minAvailable <= 1)",
           .message = "minAvailable must be less than or equal to replicas unless replicas is 0"},
          // May be taken away: off Grove it is not allowed, and on Grove the default comes back and
          // is then compared.
          {.rule = "!has(oldSelf.minAvailable) || !has(self.minAvailable) || "
                   "self.minAvailable == oldSelf.minAvailable",
           .message = "minAvailable is immutable after creation"}};
}

inline std::vector<schema::Rule> ComponentRules() {
  std::vector<schema::Rule> rules = MinAvailableRules();
  rules.push_back({.rule = "!has(self.eppConfig) || (has(self.type) && self.type == 'epp')",
                   .message = "eppConfig may only be set when type is epp"});
  return rules;
}

}  // namespace hearth::api::dynamo::internal
