#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace hearth::admission::dynamo {

// Inference engines that the command line of a container starts (`python3 -m dynamo.vllm`, also
// within a shell command), each once: "vllm", "sglang", "trtllm".
std::vector<std::string_view> DetectBackends(const json::Value* container);

// What the operator will take for the backend: what is detected, else what is set. Several are
// separated by commas, none is "<unset>".
std::string EffectiveBackend(const json::Value* container, std::string_view set);

}  // namespace hearth::admission::dynamo
