#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "base/unique_fd.h"

// The kernel's userfaultfd: memory of a process, filled from outside while the process is kept from
// seeing what is missing. All are thread-safe.
namespace hearth::agent::userfault {

// For memory of our own. kUnsupported: the kernel has none, or does not let us.
Result<UniqueFd> Open();
// Pages of it that are missing come from `fault_fd` from now on.
Status Register(int fault_fd, uint64_t address, uint64_t bytes);

// Puts whole pages where none are; pages that are there stay as they are. They may lie in several
// mappings that meet. kNotFound: the memory is not registered.
Status Copy(int fault_fd, uint64_t address, const char* from, uint64_t bytes);
// One page of zeros where none is.
Status Zero(int fault_fd, uint64_t address);

// The address that somebody waits for. Nothing: there was another event, or none.
Result<std::optional<uint64_t>> ReadFault(int fault_fd);

}  // namespace hearth::agent::userfault
