#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace hearth::admission::dynamo {

// What a pod template lacks of the wiring that spec.gpuMemoryService of a DynamoCheckpoint says it
// has.
struct MissingWiring {
  std::string path;   // the field that should have it: "spec.job.podTemplateSpec.spec.volumes"
  std::string cause;  // in the words that the operator has for it at run time
};

// In the order in which a reader should mend them: mode, target, claim, volume, target's wiring,
// server, server's wiring, further clients. Empty: the template is prepared. `spec` is that of a
// DynamoCheckpoint with the service turned on.
std::vector<MissingWiring> FindMissingWiring(const json::Value& spec);

}  // namespace hearth::admission::dynamo
