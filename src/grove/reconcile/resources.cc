#include "grove/reconcile/resources.h"

#include <fmt/format.h>

#include "grove/model/labels.h"

namespace hearth::grove {
namespace {

// Where a template that is not in the set is looked for.
void EmitTemplates(json::View sharing, const controller::CachedObject& set,
                   const std::function<void(std::string_view value)>& emit) {
  for (const json::View entry : sharing.items()) {
    emit(InNamespace(entry["namespace"].StringOr(set.name_space()), entry["name"].StringOr("")));
  }
}

}  // namespace

const kube::ResourceType& Roles() {
  static const kube::ResourceType type{"rbac.authorization.k8s.io", "v1", "roles", "Role", true};
  return type;
}

const kube::ResourceType& RoleBindings() {
  static const kube::ResourceType type{"rbac.authorization.k8s.io", "v1", "rolebindings",
                                       "RoleBinding", true};
  return type;
}

const kube::ResourceType& HorizontalPodAutoscalers() {
  static const kube::ResourceType type{"autoscaling", "v2", "horizontalpodautoscalers",
                                       "HorizontalPodAutoscaler", true};
  return type;
}

std::string InNamespace(std::string_view name_space, std::string_view name) {
  return fmt::format("{}/{}", name_space, name);
}

controller::Index ByLabelInNamespace(std::string name, std::string_view label) {
  return {std::move(name), [label](const controller::CachedObject& object, const auto& emit) {
            const json::View value = object.view()["metadata"]["labels"][label];
            if (value.IsString()) {
              emit(InNamespace(object.name_space(), value.StringOr("")));
            }
          }};
}

// Names hold no slashes.
std::string SetReplicaPlace(std::string_view name_space, std::string_view set, std::string_view i) {
  return fmt::format("{}/{}/{}", name_space, set, i);
}

std::string GroupPlace(std::string_view name_space, std::string_view group) {
  return fmt::format("{}//{}", name_space, group);
}

std::string GroupReplicaPlace(std::string_view name_space, std::string_view group,
                              std::string_view j) {
  return fmt::format("{}//{}/{}", name_space, group, j);
}

controller::Index CliquesByPlace() {
  return {kByPlace, [](const controller::CachedObject& clique, const auto& emit) {
            const json::View labels = clique.view()["metadata"]["labels"];
            const std::string group = labels[kGroupLabel].StringOr("");
            emit(SetReplicaPlace(clique.name_space(), labels[kPartOfLabel].StringOr(""),
                                 labels[kSetReplicaLabel].StringOr("")));
            if (!group.empty()) {
              emit(GroupPlace(clique.name_space(), group));
              emit(GroupReplicaPlace(clique.name_space(), group,
                                     labels[kGroupReplicaLabel].StringOr("")));
            }
          }};
}

controller::Index GroupsByReplica() {
  return {kByReplica, [](const controller::CachedObject& group, const auto& emit) {
            const json::View labels = group.view()["metadata"]["labels"];
            emit(SetReplicaPlace(group.name_space(), labels[kPartOfLabel].StringOr(""),
                                 labels[kSetReplicaLabel].StringOr("")));
          }};
}

// Gangs are named "<set>-<i>" and "<set>-<i>-<group>-<k>".
controller::Index GangsByReplica() {
  return {kByReplica, [](const controller::CachedObject& gang, const auto& emit) {
            const std::string set = gang.view()["metadata"]["labels"][kPartOfLabel].StringOr("");
            std::string_view name = gang.name();
            if (!set.empty() && name.starts_with(set + "-")) {
              name.remove_prefix(set.size() + 1);
              emit(SetReplicaPlace(gang.name_space(), set, name.substr(0, name.find('-'))));
            }
          }};
}

controller::Index PodsByClaim() {
  return {kByClaim, [](const controller::CachedObject& pod, const auto& emit) {
            for (const json::View claim : pod.view()["spec"]["resourceClaims"].items()) {
              if (claim["resourceClaimName"].IsString()) {
                emit(InNamespace(pod.name_space(), claim["resourceClaimName"].StringOr("")));
              }
            }
          }};
}

controller::Index SetsByTemplate() {
  return {kBySharedTemplate, [](const controller::CachedObject& set, const auto& emit) {
            const json::View parts = set.view()["spec"]["template"];
            EmitTemplates(parts["resourceSharing"], set, emit);
            for (const char* children : {"cliques", "podCliqueScalingGroups"}) {
              for (const json::View child : parts[children].items()) {
                EmitTemplates(child["resourceSharing"], set, emit);
              }
            }
          }};
}

// As SetFacts::TopologyName has it.
controller::Index SetsByTopology() {
  return {kByTopology, [](const controller::CachedObject& set, const auto& emit) {
            const json::View parts = set.view()["spec"]["template"];
            const auto name = [](json::View part) {
              return part["topologyConstraint"]["topologyName"].StringOr("");
            };
            std::string found = name(parts);
            for (const char* children : {"podCliqueScalingGroups", "cliques"}) {
              for (const json::View child : parts[children].items()) {
                found = found.empty() ? name(child) : found;
              }
            }
            if (!found.empty()) {
              emit(found);
            }
          }};
}

}  // namespace hearth::grove
