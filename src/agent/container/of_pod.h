#pragma once

#include <string_view>

#include "agent/container/container.h"
#include "base/status.h"

namespace hearth::agent {

// Whether a container is one of that pod, as far as both are known: a pod made anew has the old
// one's name, and not its containers. kConflict.
Status CheckOfPod(const Container& container, std::string_view pod_uid);

}  // namespace hearth::agent
