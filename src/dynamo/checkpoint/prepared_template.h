#pragma once

#include <string>

#include "api/dynamo/checkpoint.h"

namespace hearth::dynamo {

// What the pod template of a checkpoint with a memory service lacks of it: the first thing, in
// upstream's words; empty when it has everything. The webhook says the same at the door; this is
// for objects that did not come through it.
std::string MissingForMemory(const api::dynamo::CheckpointSpec& spec);

}  // namespace hearth::dynamo
