#include "api/grove/topology_constraint.h"

namespace hearth::api::grove {

Node TopologyDomain() { return String().MinLength(1).MaxLength(63).Pattern("^[a-z][a-z0-9-]*$"); }

const StructTable& TopologyConstraint::Pack::Fields() {
  static const StructTable table(
      "Keeps the pods of each replica together within one domain.",
      {Field("required", &Pack::required, TopologyDomain(),
             "Each replica must fit into one domain of this level, or it is not scheduled."),
       Field("preferred", &Pack::preferred, TopologyDomain(),
             "Each replica is put into one domain of this level if possible; otherwise it is "
             "scheduled anyway.")},
      {{.rule = "has(self.required) || has(self.preferred)",
        .message = "pack must specify at least one of required or preferred",
        .reason = "FieldValueRequired"}});
  return table;
}

const StructTable& TopologyConstraint::Fields() {
  static const StructTable table(
      "Within what part of the cluster each replica must or should stay.",
      {Field("topologyName", &TopologyConstraint::topology_name,
             "Name of the ClusterTopologyBinding whose levels are meant. When absent, that of the "
             "enclosing scaling group or set. Cannot be changed."),
       Field("pack", &TopologyConstraint::pack,
             "Keeps the pods of each replica together. Different replicas may be in different "
             "domains."),
       Field("packDomain", &TopologyConstraint::pack_domain, TopologyDomain(),
             "Deprecated: the former name of pack.required. Refused on new objects.")},
      {{.rule = "has(self.pack) || has(self.packDomain)",
        .message = "topologyConstraint must specify pack or deprecated packDomain",
        .reason = "FieldValueRequired",
        .field_path = ".pack"},
       {.rule = "!(has(self.packDomain) && has(self.pack) && has(self.pack.required))",
        .message = "must not set both pack.required and deprecated packDomain",
        .field_path = ".pack.required"}});
  return table;
}

}  // namespace hearth::api::grove
