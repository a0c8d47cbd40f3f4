#pragma once

#include <string>

#include "agent/host/mount_policy.h"

namespace hearth::agent {

// A container's root (/proc/PID/root) as PlanMounts asks for it: links lead nowhere but within it,
// and what cannot be looked at is not there.
RootView ViewOfRoot(const std::string& root);

}  // namespace hearth::agent
