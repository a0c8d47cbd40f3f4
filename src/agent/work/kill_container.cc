#include "agent/work/kill_container.h"

#include "agent/container/pinned_process.h"

namespace hearth::agent {

Status KillContainer(ContainerRuntime& runtime, std::string_view container_id,
                     const WaitLimit& limit) {
  const auto process = PinnedProcess::Of(runtime, container_id, limit);
  if (process.status().Is(Code::kNotFound)) {
    return Status::Ok();
  }
  RETURN_IF_ERROR(process.status());
  return process->Kill();
}

}  // namespace hearth::agent
