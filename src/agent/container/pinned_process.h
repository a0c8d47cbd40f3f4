#pragma once

#include <string>

#include "agent/container/container.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// The first process of a container, held so that its number cannot come to mean another one: what
// is killed and waited for is what was found. Not thread-safe.
class PinnedProcess {
 public:
  // Finds the container and holds its process. One that may have begun meanwhile is looked for
  // again, as it could be another one. Codes as of ContainerRuntime::Find.
  static Result<PinnedProcess> Of(ContainerRuntime& runtime, std::string_view container_id,
                                  const WaitLimit& limit);

  const Container& container() const { return container_; }
  // For namespaces that are entered through it.
  int pidfd() const { return pidfd_.get(); }
  bool Running() const;
  Status Kill() const;  // SIGKILL; one that has ended is fine
  // Ok when it has ended: told by the kernel, before any runtime knows.
  Status AwaitEnd(const WaitLimit& limit) const;

 private:
  PinnedProcess(Container container, UniqueFd pidfd)
      : container_(std::move(container)), pidfd_(std::move(pidfd)) {}

  Container container_;
  UniqueFd pidfd_;
};

}  // namespace hearth::agent
