#include "api/dynamo/failover.h"

namespace hearth::api::dynamo {
namespace {

constexpr const char* kModeDoc =
    "How the engines are laid out; must be the mode of gpuMemoryService. In one pod: two "
    "containers. Between pods: a pod for each engine (with Grove only).";
constexpr const char* kDoc =
    "An engine in service and one that stands by, sharing GPU memory. Needs gpuMemoryService.";

}  // namespace

const StructTable& Failover::Fields() {
  static const StructTable table(
      kDoc, {Field("mode", &Failover::mode, kModeDoc).Default("IntraPod"),
             Field("numShadows", &Failover::num_shadows, Integer32().Min(1).Max(1).Default(1),
                   "Engines that stand by, for each rank.")});
  return table;
}

namespace v1alpha1 {

Node FailoverNode() {
  return Object(kDoc,
                {Field("enabled", Boolean(), "Turns failover on.").Required(),
                 Field("mode", Codec<GpuMemoryMode>::Describe(), kModeDoc).Default("intraPod"),
                 Field("numShadows", Integer32().Min(1).Default(1),
                       "Engines that stand by, for each rank. In one pod there is exactly one.")});
}

}  // namespace v1alpha1
}  // namespace hearth::api::dynamo
