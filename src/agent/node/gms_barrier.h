#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/node/pod_facts.h"
#include "base/result.h"

namespace hearth::agent::node {

// A file that the memory service of a pod writes when it is done.
struct GmsBarrier {
  std::string directory;  // as the container sees it; empty: the control directory
  std::string file;
};

// What to wait for, by the pod's annotations: nothing when the pod does not use the memory service.
// `file` is kGmsSaveCompleteFile or kGmsLoadCompleteFile; it gets the pod's uid unless the
// completion mode is "shared", where another pod writes it. kInvalid names the annotation.
Result<std::optional<GmsBarrier>> FindGmsBarrier(const PodFacts& pod, std::string_view file);

}  // namespace hearth::agent::node
