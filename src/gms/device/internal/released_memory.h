#pragma once

#include <cstdint>
#include <map>

#include "base/unique_fd.h"

namespace hearth::gms::internal {

// Memory of pieces that we let go and that other processes may still hold or map. The kernel tells
// when the last holder is gone: a watch on a file outlives our descriptor and reports its end. Not
// thread-safe.
class ReleasedMemory {
 public:
  ReleasedMemory();

  // From now on the `size` bytes behind `fd` are held, until nobody has the file any more. Close it
  // afterwards. False when the user has no watches left: it will not be known.
  bool Watch(int fd, uint64_t size);
  // Held now, after the news so far.
  uint64_t held_bytes();
  // As far as the news was read.
  uint64_t known_bytes() const { return bytes_; }
  // Polls readable when there is news; -1 when there will never be any.
  int signal() const { return news_.get(); }

 private:
  void ReadNews();
  void Gone(int watch);
  void Forget();

  UniqueFd news_;
  std::map<int, uint64_t> held_;  // by watch
  uint64_t bytes_ = 0;
};

}  // namespace hearth::gms::internal
