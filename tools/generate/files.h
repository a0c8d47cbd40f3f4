#pragma once

#include <string>
#include <vector>

#include "schema/crd.h"

namespace hearth::generate {

struct GeneratedFile {
  std::string path;  // below the root of the repository
  std::string text;
};

// Everything that is made from tables in the code. Pure: the same tables give the same bytes.
std::vector<GeneratedFile> GenerateAll();

}  // namespace hearth::generate
