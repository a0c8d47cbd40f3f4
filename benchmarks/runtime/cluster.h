#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "kube/client/client.h"

namespace hearth::bench {

// A real etcd and kube-apiserver for the length of a run, and ways to reach them.
class Cluster {
 public:
  // Finds the programs as the tests do. To be called on the main thread.
  static Result<std::unique_ptr<Cluster>> Start();
  ~Cluster();

  kube::Client& client();
  const std::string& kubeconfig() const;

  struct ListTime {
    double seconds = 0;
    double bytes = 0;
  };
  // How long curl needs, as a process of its own, to fetch all Pods of a name space from the
  // server's cache.
  Result<ListTime> CurlPods(const std::string& name_space);

 private:
  struct Impl;
  explicit Cluster(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::bench
