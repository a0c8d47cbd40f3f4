#include "api/dynamo/kv_transfer_policy.h"

#include "api/dynamo/component.h"

namespace hearth::api::dynamo {

Node KvTransferPolicyNode() {
  return Object(
      "Keeps transfers of the KV cache near.",
      {Field("clusterTopologyName", String().MinLength(1),
             "The cluster topology whose levels are used. Either this or labelKey."),
       Field(
           "labelKey",
           String().MinLength(1).MaxLength(317).Pattern(
               R"(^(([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*/)?([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)$)"),
           "The node label whose value is the place of a worker. Either this or "
           "clusterTopologyName.")
           .Rule("self.indexOf('/') <= 253", "labelKey prefix must be 253 characters or less"),
       Field("domain", TopologyDomain(), "Name of the level: zone, rack.").Required(),
       Field("enforcement", String().Enum({"required", "preferred"}).Default("required"),
             "required: decode workers of the same place only. preferred: those rather than "
             "others."),
       Field("preferredWeight", Number().Min(0).Max(1),
             "How much rather, 0 to 1. Only with preferred, and then needed.")},
      {{.rule = "has(self.labelKey) != has(self.clusterTopologyName)",
        .message = "exactly one of labelKey or clusterTopologyName is required"},
       {.rule = "!has(self.enforcement) || self.enforcement != 'preferred' || "
                "has(self.preferredWeight)",
        .message = "preferredWeight is required when enforcement is preferred"},
       {.rule = "!has(self.preferredWeight) || "
                "(has(self.enforcement) && self.enforcement == 'preferred')",
        .message = "preferredWeight may only be set when enforcement is preferred"}});
}

}  // namespace hearth::api::dynamo
