#pragma once

#include <string>

namespace hearth::node {

// Lets go of everything that is mounted below the directory, for whoever cannot ask who mounted it.
void UnmountBelow(const std::string& directory);

}  // namespace hearth::node
