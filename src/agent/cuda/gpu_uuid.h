#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hearth::agent::cuda {

// "GPU-" and 8-4-4-4-12 hexadecimal digits in lower case, from text with or without the prefix.
// kInvalid: something else; kUnsupported: a part of a GPU (MIG), which cannot be checkpointed.
Result<std::string> CanonicalGpuUuid(std::string_view text);
// Each of them, in their order; kInvalid when one stands twice.
Result<std::vector<std::string>> CanonicalGpuUuids(const std::vector<std::string>& texts);

// One per line, as nvidia-smi --query-gpu=gpu_uuid --format=csv,noheader prints them.
Result<std::vector<std::string>> ParseGpuLines(std::string_view text);
// The value of NVIDIA_VISIBLE_DEVICES. Only a list of UUIDs says which GPUs they are: "all",
// numbers, "none", "void" and nothing are kNotFound.
Result<std::vector<std::string>> ParseVisibleDevices(std::string_view value);

}  // namespace hearth::agent::cuda
