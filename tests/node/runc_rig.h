#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "container_rig.h"

namespace hearth::node {

// What containers have beside their own files and namespaces.
struct RuncOptions {
  bool system_programs = false;  // this machine's /usr, which they cannot write to
  std::string network;           // path of the network namespace that they are in; empty: their own
  std::string processes;         // the same of the pid namespace
  std::vector<const char*> further_capabilities = {};
  bool no_new_privileges = false;
  bool own_cgroups = false;  // a cgroup namespace
  bool unmasked = false;     // all of /proc
};

// Containers made by runc.
class RuncRig : public ContainerRig {
 public:
  RuncRig();
  ~RuncRig() override;

  // Of those that are started from now on.
  void Use(RuncOptions options) { options_ = std::move(options); }

  Result<Started> Start(const std::string& name, const std::vector<std::string>& argv) override;
  void Kill(const Started& container) override;
  agent::ContainerRuntime& runtime() override { return *runtime_; }
  std::string runc_root() const { return directory() / "runc"; }

 private:
  std::unique_ptr<agent::ContainerRuntime> runtime_;
  std::vector<Started> started_;
  RuncOptions options_;
};

}  // namespace hearth::node
