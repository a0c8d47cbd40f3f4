#pragma once

#include "agent/host/process_facts.h"

namespace hearth::agent {

// Whether a process is in another user namespace than we are. Its ids are then other numbers for us
// than for itself, and nothing here maps those of processes, files and images to each other. One
// that is gone, or does not tell, is not.
bool HasUsersOfItsOwn(const ProcReader& proc, int pid);

}  // namespace hearth::agent
