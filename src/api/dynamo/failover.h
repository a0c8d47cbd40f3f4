#pragma once

#include "api/dynamo/gpu_memory_service.h"

namespace hearth::api::dynamo {

// An engine in service and one that stands by, on the same GPU memory. That it is there turns it
// on.
struct Failover {
  GpuMemoryMode mode = GpuMemoryMode::kIntraPod;
  int32_t num_shadows = 1;
  static const StructTable& Fields();
};

namespace v1alpha1 {

// As older versions have it: with a flag, and any number of shadows.
Node FailoverNode();

}  // namespace v1alpha1
}  // namespace hearth::api::dynamo
