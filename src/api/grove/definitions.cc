#include "api/grove/definitions.h"

#include "api/grove/cluster_topology_binding.h"
#include "api/grove/pod_clique.h"
#include "api/grove/pod_clique_scaling_group.h"
#include "api/grove/pod_clique_set.h"
#include "api/grove/pod_gang.h"

namespace hearth::api::grove {

std::vector<schema::ResourceDefinition> Definitions() {
  return {PodCliqueSetDefinition(), PodCliqueScalingGroupDefinition(), PodCliqueDefinition(),
          ClusterTopologyBindingDefinition(), PodGangDefinition()};
}

}  // namespace hearth::api::grove
