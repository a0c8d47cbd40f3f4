#pragma once

#include <string>
#include <vector>

#include "base/process_runner.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::node {

// A network namespace as a pod has one, with these addresses on an interface of its own, and with a
// process in it that only keeps it. Whoever is not in a container of the pod but uses it is
// somebody outside, for the pod's processes.
class PodNetwork {
 public:
  static Result<PodNetwork> Make(const std::vector<std::string>& addresses);

  // For RuncOptions, as long as this lives.
  std::string path() const;
  // Listens at a port that the kernel gives.
  Result<UniqueFd> Listen(const std::string& address) const;

 private:
  PodNetwork(UniqueFd network, ChildProcess keeper)
      : network_(std::move(network)), keeper_(std::move(keeper)) {}
  UniqueFd network_;
  ChildProcess keeper_;
};

// The port that a socket is bound to.
uint16_t PortOf(const UniqueFd& socket);

}  // namespace hearth::node
