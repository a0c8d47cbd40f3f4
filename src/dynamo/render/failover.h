#pragma once

#include <cstdint>

#include "base/result.h"
#include "json/value.h"

namespace hearth::dynamo {

// Makes of the container `main` two engines on the same GPU memory, `engine-0` and `engine-1`, of
// which one serves and one stands by; the other containers stay. Everything that both would use
// alone (ports, names, telemetry) is told apart. The pod must have its memory service already.
// kInvalid: no container `main`, or an engine that is not vLLM's.
Status CloneEngines(json::Value& pod_spec, std::string_view engine, int32_t nodes);

}  // namespace hearth::dynamo
