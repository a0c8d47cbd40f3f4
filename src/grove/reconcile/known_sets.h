#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/guarded.h"
#include "base/result.h"
#include "controller/cached.h"
#include "grove/model/facts.h"
#include "grove/plan/hashes.h"
#include "grove/reconcile/resources.h"

namespace hearth::grove {

// A set as all of its parts need it.
struct KnownSet {
  SetFacts facts;     // bounded
  Hashes hashes;      // as it is written
  int32_t asked = 0;  // the largest number of replicas in it, as it is written
};

// Reads every version of a set once, and not again for each of the hundreds of parts that look at
// it. Thread-safe.
class KnownSets {
 public:
  // kInvalid: its spec cannot be read.
  Result<std::shared_ptr<const KnownSet>> Read(const controller::Snapshot<SetFields>& set);

 private:
  struct Entry {
    controller::ObjectPtr object;  // that it was read from
    std::shared_ptr<const KnownSet> known;
  };
  // Beyond this everything is forgotten: sets that are gone are never told.
  static constexpr size_t kMost = 1000;
  Guarded<std::map<std::string, Entry>> entries_;  // by uid
};

}  // namespace hearth::grove
