#pragma once

#include <string>

#include "agent/criu/worker.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "base/wait_limit.h"

namespace hearth::bench {

// Tells when a program is started: the kernel opens its file then.
class ProgramStarts {
 public:
  static Result<ProgramStarts> Watch(const agent::criu::Program& program);
  // Forgets what was before.
  void Forget();
  // When it was started next.
  Result<SteadyTime> Await(const WaitLimit& limit);

 private:
  explicit ProgramStarts(UniqueFd watch) : watch_(std::move(watch)) {}
  UniqueFd watch_;
};

}  // namespace hearth::bench
