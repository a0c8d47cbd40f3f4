#pragma once

#include <map>
#include <optional>
#include <string>

#include "api/grove/pod_clique_set.h"
#include "base/clock.h"
#include "base/guarded.h"

namespace hearth::grove {

// Whether two statuses of a set differ in nothing but how many of its parts have come how far, and
// the second is not the end of that way. Pure.
bool IsOnItsWay(const api::grove::PodCliqueSetStatus& there,
                const api::grove::PodCliqueSetStatus& wanted);

// While the parts of a large set come up, its status would be written for each of them. This makes
// those writes few: soon at first, then more and more seldom. Everything else that a status says is
// written at once, and so is the end. Forgetting costs only a write. Thread-safe.
class StatusPace {
 public:
  // How long this status is to wait; nothing: it is to be written now.
  std::optional<Duration> WaitFor(const std::string& uid,
                                  const api::grove::PodCliqueSetStatus& there,
                                  const api::grove::PodCliqueSetStatus& wanted, SteadyTime now);
  // One was written.
  void Wrote(const std::string& uid, const api::grove::PodCliqueSetStatus& there,
             const api::grove::PodCliqueSetStatus& written, SteadyTime now);

  static constexpr Duration kFirst = std::chrono::seconds(2);
  static constexpr Duration kLongest = std::chrono::seconds(15);

 private:
  struct Last {
    SteadyTime at;
    Duration pause = kFirst;
  };
  // Beyond this everything is forgotten: sets that are gone are never told.
  static constexpr size_t kMost = 10'000;
  Guarded<std::map<std::string, Last>> last_;
};

}  // namespace hearth::grove
