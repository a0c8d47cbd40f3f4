#pragma once

#include <cstdint>
#include <string>

#include "base/guarded.h"
#include "base/seeded_hash.h"
#include "controller/cached_object.h"

namespace hearth::grove {

// Children that were found to be as they should be, so that looking at a large set again does not
// render all of them again. Forgetting costs only work. Thread-safe.
class Settled {
 public:
  // `inputs` is a hash of everything that the child is rendered from.
  bool Knows(const controller::CachedObject& child, uint64_t inputs) const;
  void Learn(const controller::CachedObject& child, uint64_t inputs);

 private:
  struct Seen {
    uint64_t child = 0;
    uint64_t inputs = 0;
  };
  // Beyond this everything is forgotten: children that are gone are never told.
  static constexpr size_t kMost = 100'000;
  mutable Guarded<SeededMap<std::string, Seen>> seen_;
};

}  // namespace hearth::grove
