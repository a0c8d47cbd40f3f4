#include "api/dynamo/feature_rules.h"

namespace hearth::api::dynamo {
namespace {

std::string IsOn(const std::string& member, const FeatureWords& words) {
  const std::string there = "has(self." + member + ")";
  return words.has_flag ? "(" + there + " && self." + member + ".enabled)" : there;
}

}  // namespace

std::vector<schema::Rule> FeatureRules(const FeatureWords& words) {
  const std::string service = IsOn("gpuMemoryService", words);
  const std::string no_failover = "!" + IsOn("failover", words);
  const std::string no_clients =
      "!has(self.checkpoint) || !self.checkpoint.enabled || !has(self.checkpoint.job) || "
      "!has(self.checkpoint.job.gmsClientContainers) || "
      "size(self.checkpoint.job.gmsClientContainers) == 0";
  return {{.rule = no_failover + " || " + service,
           .message = "gpuMemoryService is required when failover is set",
           .message_expression = "'gpuMemoryService is required when failover mode is \"' + "
                                 "self.failover.mode + '\"'",
           .reason = "FieldValueForbidden",
           .field_path = ".failover"},
          {.rule = no_failover + " || !" + service +
                   " || self.failover.mode == self.gpuMemoryService.mode",
           .message = "must match gpuMemoryService.mode",
           .message_expression =
               "'must match gpuMemoryService.mode \"' + self.gpuMemoryService.mode + '\"'",
           .field_path = ".failover.mode"},
          {.rule = no_clients + " || " + service,
           .message = "requires gpuMemoryService to be set",
           .reason = "FieldValueForbidden",
           .field_path = ".checkpoint.job.gmsClientContainers"},
          {.rule = no_clients + " || !" + service + " || self.gpuMemoryService.mode == '" +
                   words.intra_pod + "'",
           .message = "is only supported with gpuMemoryService.mode=" + words.intra_pod,
           .reason = "FieldValueForbidden",
           .field_path = ".checkpoint.job.gmsClientContainers"}};
}

}  // namespace hearth::api::dynamo
