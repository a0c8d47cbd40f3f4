#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::kube {

// A TCP port of loopback that is ours as long as this lives, for a server that is told its port,
// started later and maybe started again. It lies outside the range from which the kernel gives
// ports to those who want any, and other holders of this kind keep away from it.
class OwnPort {
 public:
  // kExhausted when no port can be had.
  static Result<OwnPort> Take();

  uint16_t number() const { return number_; }

 private:
  OwnPort(UniqueFd name, uint16_t number) : name_(std::move(name)), number_(number) {}

  UniqueFd name_;  // a socket whose name says that the port is taken
  uint16_t number_;
};

}  // namespace hearth::kube
