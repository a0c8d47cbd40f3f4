#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/testing/temp_directory.h"
#include "json/value.h"
#include "kube/testing/control_plane.h"

namespace hearth {

// The project's chart and Helm, which keeps what it keeps in a directory of its own.
class HelmRig {
 public:
  // kNotFound: there is no Helm here. `kubeconfig` may be empty where no server is asked.
  static Result<std::unique_ptr<HelmRig>> Make(const std::string& kubeconfig);

  static std::string Chart();
  // What Helm prints; a failure has what it said on stderr. `values` is YAML.
  Result<std::string> Run(std::vector<std::string> args, const std::string& values = "");
  // What `kubectl kustomize` makes of a directory; a name is below deploy/.
  Result<std::string> Kustomize(const std::string& directory);
  // Variables with which Helm and kubectl are found and know their server.
  std::vector<std::pair<std::string, std::string>> Environment() const;

 private:
  HelmRig(kube::KubeBinaries binaries, std::string kubeconfig)
      : binaries_(std::move(binaries)), kubeconfig_(std::move(kubeconfig)) {}

  const kube::KubeBinaries binaries_;
  const std::string kubeconfig_;
  TempDirectory home_;
};

// Objects of a stream by "Kind name", a second one of that name by "Kind namespace/name"; fails the
// test when it cannot be read or two are the same.
std::map<std::string, json::Value> ByName(const Result<std::string>& yaml);

}  // namespace hearth
