#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace hearth::kube {

// One version of a definition under deploy/crds, as a definition of its own under another group:
// the only version and the stored one, so that no conversion webhook has to run.
struct ProductKind {
  std::string api_version;  // as in deploy/crds: "nvidia.com/v1beta1"
  std::string kind;
  json::Value crd;
  std::string copy_api_version;
};

std::vector<ProductKind> ProductKinds();

// One document of a YAML file of the repository.
struct Manifest {
  std::string place;  // "examples/snapshot/capture.yaml, document 2"
  json::Value object;

  std::string api_version() const;
  std::string kind() const;
};

// All documents below these directories of the repository, in the order of their paths.
std::vector<Manifest> ReadManifests(const std::vector<std::string>& directories);

}  // namespace hearth::kube
