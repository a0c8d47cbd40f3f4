#include "grove/render/children.h"

#include <algorithm>
#include <string>

#include "api/grove/constants.h"
#include "grove/model/labels.h"
#include "grove/model/names.h"
#include "grove/render/internal/canonical.h"
#include "grove/render/internal/metadata.h"
#include "grove/render/internal/sizes.h"
#include "grove/render/start_order.h"

namespace hearth::grove {
namespace {

using api::grove::AutoScaling;
using internal::ManagedLabels;
using internal::NewObject;
using json::Value;

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

std::string ApiVersion() {
  return std::string(api::grove::kGroup) + "/" + std::string(api::grove::kVersion);
}

kube::OwnerReference OwnerOf(std::string_view kind, const Identity& id) {
  return {ApiVersion(), std::string(kind), id.name, id.uid, true, true};
}

Value NewOfSet(const SetFacts& set, std::string_view api_version, std::string_view kind,
               std::string_view name, const Labels& labels, const Labels& annotations = {}) {
  return NewObject(api_version, kind, set.id.name_space, name, labels, annotations, OwnerOf(set));
}

// Label values must not hold colons.
Labels RoleLabels(const SetFacts& set, std::string_view component) {
  std::string name = RoleName(set.id.name);
  std::replace(name.begin(), name.end(), ':', '-');
  return ManagedLabels(set.id.name, component, name);
}

Value RenderAutoscaler(const SetFacts& set, std::string_view target_kind, const std::string& target,
                       const AutoScaling& scaling, int32_t replicas) {
  Value object = NewOfSet(set, "autoscaling/v2", "HorizontalPodAutoscaler", target,
                          ManagedLabels(set.id.name, component::kAutoscaler, target));
  Value spec = Value::Object(
      {{"scaleTargetRef",
        Value::Object({{"apiVersion", ApiVersion()}, {"kind", target_kind}, {"name", target}})},
       {"minReplicas", scaling.min_replicas.value_or(replicas)},
       {"maxReplicas", scaling.max_replicas}});
  if (scaling.metrics.IsArray() && !scaling.metrics.items().empty()) {
    Value metrics = scaling.metrics;
    for (Value& metric : metrics.items()) {
      internal::CanonicalizeQuantities("autoscaling.v2.MetricSpec", metric);
    }
    spec.Set("metrics", std::move(metrics));
  }
  object.Set("spec", std::move(spec));
  return object;
}

}  // namespace

kube::OwnerReference OwnerOf(const SetFacts& set) { return OwnerOf("PodCliqueSet", set.id); }
kube::OwnerReference OwnerOf(const GroupFacts& group) {
  return OwnerOf("PodCliqueScalingGroup", group.id);
}
kube::OwnerReference OwnerOf(const CliqueFacts& clique) { return OwnerOf("PodClique", clique.id); }

Value RenderServiceAccount(const SetFacts& set) {
  Value object = NewOfSet(set, "v1", "ServiceAccount", set.id.name,
                          ManagedLabels(set.id.name, component::kServiceAccount, set.id.name));
  object.Set("automountServiceAccountToken", true);
  return object;
}

Value RenderRole(const SetFacts& set) {
  Value object = NewOfSet(set, std::string(kRbacGroup) + "/v1", "Role", RoleName(set.id.name),
                          RoleLabels(set, component::kRole));
  object.Set("rules",
             Value::Array({Value::Object({{"apiGroups", Value::Array({""})},
                                          {"resources", Value::Array({"pods", "pods/status"})},
                                          {"verbs", Value::Array({"get", "list", "watch"})}})}));
  return object;
}

Value RenderRoleBinding(const SetFacts& set) {
  Value object = NewOfSet(set, std::string(kRbacGroup) + "/v1", "RoleBinding",
                          RoleName(set.id.name), RoleLabels(set, component::kRoleBinding));
  object.Set(
      "roleRef",
      Value::Object({{"apiGroup", kRbacGroup}, {"kind", "Role"}, {"name", RoleName(set.id.name)}}));
  object.Set(
      "subjects",
      Value::Array({Value::Object(
          {{"kind", "ServiceAccount"}, {"name", set.id.name}, {"namespace", set.id.name_space}})}));
  return object;
}

Value RenderTokenSecret(const SetFacts& set) {
  const std::string name = TokenSecretName(set.id.name);
  Value object =
      NewOfSet(set, "v1", "Secret", name, ManagedLabels(set.id.name, component::kTokenSecret, name),
               {{"kubernetes.io/service-account.name", set.id.name}});
  object.Set("type", "kubernetes.io/service-account-token");
  return object;
}

bool NeedsTokenSecret(const SetFacts& set) {
  const auto& cliques = set.parts().cliques;
  return std::any_of(cliques.begin(), cliques.end(),
                     [&](const auto& clique) { return !ParentTemplates(set, clique).empty(); });
}

Value RenderService(const SetFacts& set, int32_t i) {
  const std::string name = ReplicaName(set.id.name, i);
  Labels labels = ManagedLabels(set.id.name, component::kService, name);
  labels[std::string(kSetReplicaLabel)] = std::to_string(i);
  Value object = NewOfSet(set, "v1", "Service", name, labels);
  const Labels selector = {{std::string(kManagedByLabel), std::string(kManagedBy)},
                           {std::string(kPartOfLabel), set.id.name},
                           {std::string(kSetReplicaLabel), std::to_string(i)}};
  Value spec =
      Value::Object({{"clusterIP", "None"}, {"selector", api::Codec<Labels>::Encode(selector)}});
  // The server does not store a false one.
  const auto& service = set.parts().headless_service;
  if (!service || service->publish_not_ready_addresses) {
    spec.Set("publishNotReadyAddresses", true);
  }
  object.Set("spec", std::move(spec));
  return object;
}

Value RenderGroup(const SetFacts& set, const api::grove::ScalingGroupTemplate& group, int32_t i,
                  std::optional<int32_t> replicas) {
  const std::string name = GroupName(set.id.name, i, group.name);
  Labels labels = ManagedLabels(set.id.name, component::kGroup, name);
  labels[std::string(kSetReplicaLabel)] = std::to_string(i);
  Value object =
      NewOfSet(set, ApiVersion(), "PodCliqueScalingGroup", name, labels, group.annotations);
  object["metadata"].Set("finalizers", Value::Array({kGroupFinalizer}));
  object.Set("spec", api::Encoded(api::grove::PodCliqueScalingGroupSpec{
                         .replicas = replicas.value_or(internal::Replicas(group)),
                         .min_available = internal::MinAvailable(group),
                         .clique_names = group.clique_names}));
  return object;
}

std::vector<Value> RenderAutoscalers(const SetFacts& set, int32_t i) {
  std::vector<Value> autoscalers;
  for (const auto& clique : set.parts().cliques) {
    if (clique.spec.auto_scaling && set.GroupOf(clique.name) == nullptr) {
      autoscalers.push_back(RenderAutoscaler(set, "PodClique",
                                             CliqueName(set.id.name, i, clique.name),
                                             *clique.spec.auto_scaling, clique.spec.replicas));
    }
  }
  for (const auto& group : set.parts().scaling_groups) {
    if (group.scale_config) {
      autoscalers.push_back(RenderAutoscaler(set, "PodCliqueScalingGroup",
                                             GroupName(set.id.name, i, group.name),
                                             *group.scale_config, internal::Replicas(group)));
    }
  }
  return autoscalers;
}

}  // namespace hearth::grove
