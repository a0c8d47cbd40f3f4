#pragma once

#include <vector>

#include "base/unique_fd.h"

namespace hearth::gms::server {

// Descriptors that are kept so that there are some left for whoever must get in when all others are
// in use.
class SpareFiles {
 public:
  explicit SpareFiles(size_t count);

  // As many as there should be, if they are to be had now.
  void Refill();
  // One more can be opened now; false: none is left.
  bool GiveOne();

 private:
  size_t count_;
  std::vector<UniqueFd> files_;
};

}  // namespace hearth::gms::server
