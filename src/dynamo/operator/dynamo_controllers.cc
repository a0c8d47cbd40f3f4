#include "dynamo/operator/dynamo_controllers.h"

#include <algorithm>

namespace hearth::dynamo {
namespace {

CheckpointOptions CheckpointsOf(const DynamoOptions& options) {
  return {.name_space = options.graphs.name_space,
          .includes = options.graphs.includes,
          .enabled = options.graphs.checkpoints,
          .memory_allowed = options.graphs.gms_snapshots,
          .storage = options.graphs.storage,
          .seccomp_profile = options.graphs.seccomp_profile,
          .cleanup = options.cleanup};
}

}  // namespace

Status AskCluster(kube::Discovery& discovery, const WaitLimit& limit, GraphFeatures& features) {
  ASSIGN_OR_RETURN(const auto entries, discovery.All(limit));
  const auto serves = [&](const kube::ResourceType& type) {
    return std::any_of(entries.begin(), entries.end(), [&](const kube::Discovery::Entry& entry) {
      return entry.type.group == type.group && entry.type.version == type.version &&
             entry.type.kind == type.kind;
    });
  };
  features.grove = features.grove && serves(CliqueSets());
  features.claims = features.claims && serves(ClaimTemplates());
  return {};
}

DynamoControllers::DynamoControllers(controller::Manager& manager, const DynamoOptions& options)
    : options_(options.graphs),
      caches_(manager, options_.features, options_.name_space, options_.includes),
      graphs_(manager, caches_, options_),
      components_(manager, caches_, options_),
      checkpoints_(manager, CheckpointsOf(options)),
      recovery_(manager, {options_.includes, options_.name_space}) {}

}  // namespace hearth::dynamo
