#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace hearth::agent {

struct Phase {
  std::string name;
  Duration took{};
};

// Cuts the time of a job into phases without gaps: they add up to the wall clock. Not thread-safe.
class PhaseTimer {
 public:
  explicit PhaseTimer(const Clock& clock, std::string first)
      : clock_(clock), begin_(clock.Now()), name_(std::move(first)) {}

  // What was going on ends, and this begins.
  void Begin(std::string name) {
    End();
    name_ = std::move(name);
  }
  std::vector<Phase> Finish() {
    End();
    return std::move(phases_);
  }

 private:
  void End() {
    const SteadyTime now = clock_.Now();
    phases_.push_back({std::move(name_), now - begin_});
    begin_ = now;
  }

  const Clock& clock_;
  SteadyTime begin_;
  std::string name_;
  std::vector<Phase> phases_;
};

}  // namespace hearth::agent
