#pragma once

#include <memory>
#include <string>
#include <vector>

#include "container_rig.h"

namespace hearth::node {

// Containers made by runc.
class RuncRig : public ContainerRig {
 public:
  RuncRig();
  ~RuncRig() override;

  Result<Started> Start(const std::string& name, const std::vector<std::string>& argv) override;
  void Kill(const Started& container) override;
  agent::ContainerRuntime& runtime() override { return *runtime_; }
  std::string runc_root() const { return directory() / "runc"; }

 private:
  std::unique_ptr<agent::ContainerRuntime> runtime_;
  std::vector<Started> started_;
};

}  // namespace hearth::node
