#include "agent/work/kill_container.h"

#include "agent/container/pinned_process.h"
#include "agent/host/restored_processes.h"

namespace hearth::agent {
namespace {

// A runtime says "unavailable" of one that does not run, and of itself when it does not answer.
bool HasEnded(ContainerRuntime& runtime, std::string_view container_id, const WaitLimit& limit) {
  const auto state = runtime.StateOf(container_id, limit);
  return state.ok() ? state->phase == ContainerState::Phase::kExited
                    : state.status().Is(Code::kNotFound);
}

}  // namespace

Status KillContainer(ContainerRuntime& runtime, const HostPlaces& places,
                     std::string_view container_id, const WaitLimit& limit) {
  const auto process = PinnedProcess::Of(runtime, container_id, limit);
  if (process.status().Is(Code::kNotFound) ||
      (process.status().Is(Code::kUnavailable) && HasEnded(runtime, container_id, limit))) {
    return Status::Ok();
  }
  RETURN_IF_ERROR(process.status());
  // Where a pod shares its processes, these do not end with the container's first.
  const Status restored = KillRestored(places, process->container().pid);
  RETURN_IF_ERROR(process->Kill());
  return restored.Is(Code::kNotFound) ? Status::Ok() : restored;
}

}  // namespace hearth::agent
