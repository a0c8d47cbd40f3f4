#include "api/grove/resource_sharing.h"

namespace hearth::api::grove {
namespace {

// The fields of every level; T is ResourceSharing or derives from it.
template <typename T>
std::vector<Field> CommonFields() {
  return {Field("name", static_cast<std::string T::*>(&ResourceSharing::name),
                "Name of the template to make claims from: one of the set's "
                "resourceClaimTemplates, otherwise a ResourceClaimTemplate of the cluster. At most "
                "once in a list.")
              .Required(),
          Field("namespace", static_cast<std::string T::*>(&ResourceSharing::name_space),
                "Namespace of a ResourceClaimTemplate of the cluster. When absent, that of the "
                "set. Must be absent for a template of the set."),
          Field("scope", static_cast<SharingScope T::*>(&ResourceSharing::scope),
                "How many claims there are. AllReplicas: one for all replicas of the object this "
                "stands in. PerReplica: one for each of its replicas.")
              .Required()};
}

template <typename T>
std::vector<Field> FieldsWithFilter(std::string doc) {
  std::vector<Field> fields = CommonFields<T>();
  fields.emplace_back("filter", &T::filter, std::move(doc));
  return fields;
}

}  // namespace

const StructTable& ResourceClaimTemplate::Fields() {
  static const StructTable table(
      "A named template for shared ResourceClaims.",
      {Field("name", &ResourceClaimTemplate::name,
             "Name by which resourceSharing refers to it. Unique in the set.")
           .Required(),
       Field("templateSpec", &ResourceClaimTemplate::template_spec,
             Kube("resource.v1.ResourceClaimTemplateSpec"),
             "What the claims are made from, as in a ResourceClaimTemplate of resource.k8s.io/v1. "
             "Needs at least one device request.")
           .Required()});
  return table;
}

const StructTable& ResourceSharing::Fields() {
  static const StructTable table("Claims shared by the pods of one clique.",
                                 CommonFields<ResourceSharing>());
  return table;
}

const StructTable& GroupResourceSharing::Filter::Fields() {
  static const StructTable table(
      "Which cliques of the group get the claims.",
      {Field("childCliqueNames", &Filter::child_clique_names, ListOf(String()).Atomic(),
             "Names of cliques of this group.")},
      {{.rule = "has(self.childCliqueNames) && size(self.childCliqueNames) > 0",
        .message = "filter must name at least one clique in childCliqueNames; leave filter out to "
                   "share with every clique of the group",
        .reason = "FieldValueRequired"}});
  return table;
}

const StructTable& GroupResourceSharing::Fields() {
  static const StructTable table(
      "Claims shared within one scaling group.",
      FieldsWithFilter<GroupResourceSharing>(
          "Which cliques of the group get the claims. When absent, all of them do."));
  return table;
}

const StructTable& SetResourceSharing::Filter::Fields() {
  static const StructTable table(
      "Which cliques and scaling groups get the claims.",
      {Field("childCliqueNames", &Filter::child_clique_names, ListOf(String()).Atomic(),
             "Names of cliques of this set, those in scaling groups included."),
       Field("childScalingGroupNames", &Filter::child_scaling_group_names,
             ListOf(String()).Atomic(),
             "Names of scaling groups of this set: all their cliques get the claims.")},
      {{.rule = "(has(self.childCliqueNames) && size(self.childCliqueNames) > 0) || "
                "(has(self.childScalingGroupNames) && size(self.childScalingGroupNames) > 0)",
        .message = "filter must name at least one child in childCliqueNames or "
                   "childScalingGroupNames; leave filter out to share with every pod of the set",
        .reason = "FieldValueRequired"}});
  return table;
}

const StructTable& SetResourceSharing::Fields() {
  static const StructTable table(
      "Claims shared within the whole set.",
      FieldsWithFilter<SetResourceSharing>(
          "Which cliques and scaling groups get the claims. When absent, every pod does."));
  return table;
}

const StructTable& ResourceClaimCounts::Fields() {
  static const StructTable table(
      "How many shared ResourceClaims there should be and are.",
      {Field("total", &ResourceClaimCounts::total, "Claims this object should own.")
           .Required()
           .Default(0),
       Field("bound", &ResourceClaimCounts::bound,
             "How many of them exist and have devices allocated.")
           .Required()
           .Default(0),
       Field("summary", &ResourceClaimCounts::summary, "bound/total, for kubectl get.")});
  return table;
}

}  // namespace hearth::api::grove
