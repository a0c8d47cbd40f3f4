#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "base/result.h"
#include "base/wait_limit.h"
#include "controller/informer.h"

namespace hearth::bench {

// Objects of a name space, as a watch shows them.
struct Population {
  size_t there = 0;
  size_t running = 0;  // of pods
  friend bool operator==(const Population&, const Population&) = default;
};

// Counts the objects of an informer by name space. Thread-safe. Must outlive the informer's run.
class PopulationCounter {
 public:
  // Before the informer starts.
  void Follow(controller::Informer& informer);

  Population In(const std::string& name_space) const;
  // Returns as soon as it holds. kDeadlineExceeded says how many there were then.
  using Condition = std::function<bool(const Population&)>;
  Status Await(const std::string& name_space, const Condition& condition,
               const WaitLimit& limit) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, Population, std::less<>> by_name_space_;
};

}  // namespace hearth::bench
