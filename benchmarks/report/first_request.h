#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::bench {

// A server that we play: a program that is given its kubeconfig asks it first.
class FirstRequest {
 public:
  // The kubeconfig is written into `directory`.
  static Result<FirstRequest> Listen(const std::string& directory);

  const std::string& kubeconfig() const { return kubeconfig_; }
  // Returns when the first byte of the first HTTP request is there. kDeadlineExceeded after a
  // while.
  Status Await(const std::string& who) const;

 private:
  FirstRequest(UniqueFd socket, std::string kubeconfig)
      : socket_(std::move(socket)), kubeconfig_(std::move(kubeconfig)) {}
  UniqueFd socket_;
  std::string kubeconfig_;
};

}  // namespace hearth::bench
