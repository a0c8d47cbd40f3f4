#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/process_runner.h"
#include "kubelet_rig.h"

namespace hearth::node {

// The public example driver of dynamic resource allocation: offers GPUs that are none, and gives
// containers variables that name them. Not thread-safe; goes before the node.
class ExampleDriver {
 public:
  static constexpr const char* kName = "gpu.example.com";

  // The scheduler can hand out `devices` of them, called gpu-0 and so on, when it returns.
  // kNotFound: the driver is not installed here.
  static Result<std::unique_ptr<ExampleDriver>> Start(kube::TestControlPlane& plane,
                                                      const KubeletRig& node, int devices);
  ~ExampleDriver();

  // Claims that it has prepared for containers on this node, by uid.
  std::vector<std::string> PreparedClaims() const;
  std::string LogTail() const;

 private:
  ExampleDriver(kube::TestControlPlane& plane, std::string cdi, ChildProcess process,
                std::string log)
      : plane_(plane), cdi_(std::move(cdi)), process_(std::move(process)), log_(std::move(log)) {}

  kube::TestControlPlane& plane_;
  std::string cdi_;
  ChildProcess process_;
  std::string log_;
};

}  // namespace hearth::node
