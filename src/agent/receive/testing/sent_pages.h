#pragma once

#include <cstdint>
#include <string>

namespace hearth::agent::receive {

// A command as CRIU sends it.
std::string Sent(uint32_t number, uint32_t flags, uint64_t pages, uint64_t address, uint64_t owner);

// Pages of memory, each full of one letter; '0' stands for zeros.
std::string Pages(const std::string& letters);

}  // namespace hearth::agent::receive
