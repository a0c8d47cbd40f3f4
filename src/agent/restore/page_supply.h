#pragma once

#include <memory>
#include <string>

#include "agent/criu/request.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// The pages of one restore: fills the memory of what is restored, or, where CRIU has to do that,
// verifies beside it what it reads.
class PageSupply {
 public:
  // `images` is an artifact as ShownDirectory shows it. Changes the request accordingly. Begins at
  // once.
  static Result<std::unique_ptr<PageSupply>> Begin(const std::string& images,
                                                   const std::string& work_directory,
                                                   criu::RestoreRequest& request,
                                                   const WaitLimit& limit);
  // Keep it until CRIU has answered.
  virtual ~PageSupply() = default;

  // When CRIU has restored everything and nothing has run. An error: nothing may.
  virtual Status Finish(int first_process) = 0;
  // Empty: it is not.
  virtual std::string left_to_criu() const = 0;
};

}  // namespace hearth::agent
