#pragma once

#include <utility>

namespace hearth::api::dynamo {

// The inference engine a graph runs.
enum class BackendFramework { kSglang, kVllm, kTrtllm };

constexpr std::pair<const char*, BackendFramework> kBackendFrameworks[] = {
    {"sglang", BackendFramework::kSglang},
    {"vllm", BackendFramework::kVllm},
    {"trtllm", BackendFramework::kTrtllm}};
constexpr const auto& EnumNames(BackendFramework) { return kBackendFrameworks; }

}  // namespace hearth::api::dynamo
