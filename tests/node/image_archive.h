#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace hearth::node {

struct ImageContent {
  std::string name;                           // "registry.example/shell:1.0"
  std::string files;                          // the directory that becomes its root
  std::vector<std::string> command;           // what containers run that do not say
  std::vector<std::string> entrypoint = {};   // what runs before that, whatever they say
  std::vector<std::string> environment = {};  // "NAME=value", beside PATH
};

// Makes an image without engine or registry: an archive at `output`, as `docker save` writes it,
// for `ctr images import`. Leaves some files beside it.
Status WriteImageArchive(const ImageContent& image, const std::string& output);

}  // namespace hearth::node
