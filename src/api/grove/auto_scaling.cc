#include "api/grove/auto_scaling.h"

namespace hearth::api::grove {

const StructTable& AutoScaling::Fields() {
  static const StructTable table(
      "Scales horizontally by metrics, through a HorizontalPodAutoscaler.",
      {Field("minReplicas", &AutoScaling::min_replicas,
             "Never fewer than this. When absent, the replicas of the template. Not below "
             "minAvailable."),
       Field("maxReplicas", &AutoScaling::max_replicas,
             "Never more than this. Not below minReplicas or replicas.")
           .Required(),
       Field("metrics", &AutoScaling::metrics, ListOf(Kube("autoscaling.v2.MetricSpec")).Atomic(),
             "What to scale by, as in a HorizontalPodAutoscaler of autoscaling/v2: the largest "
             "answer counts. When absent, the autoscaler's own default.")});
  return table;
}

}  // namespace hearth::api::grove
