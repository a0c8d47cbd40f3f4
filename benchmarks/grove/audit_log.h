#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/wait_limit.h"
#include "request_counts.h"

namespace hearth::bench {

// The audit log of an API server that is told to write down what one user asks for.
class AuditLog {
 public:
  // Writes the policy into `directory`, where the log will be, too.
  static Result<AuditLog> Prepare(const std::string& directory, const std::string& user);
  std::vector<std::string> ApiServerArgs() const;

  // What has been asked for since the last time, in lines that are complete.
  Result<RequestCounts> Take();
  // Adds to `counts` until nothing was asked for during `quiet`. kDeadlineExceeded when that never
  // happens.
  Status TakeUntilQuiet(Duration quiet, const WaitLimit& limit, RequestCounts& counts);

 private:
  explicit AuditLog(std::string directory) : directory_(std::move(directory)) {}
  Status Read(RequestCounts& counts);

  std::string directory_;
  size_t position_ = 0;  // in the log
};

}  // namespace hearth::bench
