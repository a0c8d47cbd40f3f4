#include "grove/reconcile/grove_controllers.h"

#include "grove/scheduler/backend.h"

namespace hearth::grove {

Status AskCluster(kube::Discovery& discovery, const WaitLimit& limit,
                  GroveControllerOptions& options) {
  ASSIGN_OR_RETURN(const auto entries, discovery.All(limit));
  std::vector<std::string> claim_versions;
  for (const kube::Discovery::Entry& entry : entries) {
    if (entry.type.group == "resource.k8s.io" && entry.type.kind == "ResourceClaim") {
      claim_versions.push_back(entry.type.version);
    }
  }
  options.claim_api = claims::ChooseVersion(claim_versions);
  options.schedulers_with_groups.clear();
  for (const std::string& name : BackendNames()) {
    const auto backend = MakeBackend(name);
    const kube::ResourceType* type = backend->group_type();
    for (const kube::Discovery::Entry& entry : entries) {
      if (type != nullptr && entry.type == *type) {
        options.schedulers_with_groups.push_back(name);
      }
    }
  }
  return {};
}

GroveControllers::GroveControllers(controller::Manager& manager,
                                   const GroveControllerOptions& options)
    : caches_(manager, options.claim_api, options.name_space, options.includes),
      metrics_(manager.metrics()),
      sets_(manager, caches_, metrics_, {options.set_workers, options.topology}),
      groups_(manager, caches_, metrics_, options.group_workers),
      cliques_(manager, caches_, metrics_,
               {options.clique_workers, options.initc_image, options.scheduler}),
      gangs_(manager, caches_,
             {options.gang_workers, options.scheduler, options.schedulers_with_groups,
              options.topology}) {}

}  // namespace hearth::grove
