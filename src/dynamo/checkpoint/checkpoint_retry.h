#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "dynamo/checkpoint/checkpoint_facts.h"

// Captures that failed are tried again, a few times and with growing pauses: a node that vanished
// or a Job that was evicted should not leave workers cold for ever. Pure.
namespace hearth::dynamo {

struct RetryPolicy {
  int most = 2;  // tries after the first, unless the checkpoint's annotation says otherwise
  Duration first_pause = std::chrono::seconds(30);
  double factor = 4;
};

struct Retry {
  Duration wait{};      // until it may begin; zero: now
  std::string version;  // of the artifact that it captures
  std::string record;   // of all tries that failed, "1: JobFailed: ..."
};

// What comes after a failure: nothing when the checkpoint is not failed, when its failure is one
// that another try would meet as well, when users made it and ask for none, or when all tries are
// used up. `failed_at` is when it failed.
std::optional<Retry> NextTry(const CheckpointFacts& checkpoint, const RetryPolicy& policy,
                             WallTime now);

}  // namespace hearth::dynamo
