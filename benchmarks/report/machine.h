#pragma once

#include <string>

namespace hearth::bench {

// "2 CPUs (AMD EPYC), Linux 6.18.44".
std::string DescribeMachine();

}  // namespace hearth::bench
