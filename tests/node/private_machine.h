#pragma once

#include <functional>
#include <string>

#include "base/status.h"

namespace hearth::node {

// A machine within this one, for tests that start whole nodes: processes, mounts, System V IPC and
// network are its own, /run, /var/lib and /var/log begin empty, temporary files and cgroups are
// below places of its own. All of it goes when the work ends, however that ends: what kubelets and
// container runtimes leave behind dies with it.
//
// Runs `work` as the first process in there and gives its exit code. Call it from main, before
// there are threads. Without root there is no such machine: `work` runs as it is.
int InPrivateMachine(const std::function<int()>& work);

// What there is of it; asked from within.
struct PrivateMachine {
  static constexpr const char* kBridge = "node0";  // the network of the machine and of its pods
  static constexpr const char* kAddress = "10.77.0.1";
  static constexpr const char* kSubnet = "10.77.0.0/16";
  std::string cgroup;  // "/hearth-1234", in every hierarchy
};
// Null outside of one.
const PrivateMachine* ThisPrivateMachine();
// Gives it one more address, "10.0.0.1"; one that it has is fine.
Status AddAddress(const std::string& address);

}  // namespace hearth::node
