#include "agent/container/await_container.h"

#include <algorithm>
#include <memory>
#include <string>

namespace hearth::agent {
namespace {

bool MayCome(const Status& status) {
  return status.Is(Code::kNotFound) || status.Is(Code::kUnavailable);
}

// Ok when it is time to look again.
Status AwaitStart(ContainerEvents& events, const WaitLimit& until) {
  while (true) {
    const auto event = events.Next(until);
    if (event.status().Is(Code::kDeadlineExceeded)) {
      return Status::Ok();
    }
    RETURN_IF_ERROR(event.status());
    if (event->kind == ContainerEvent::Kind::kStarted) {
      return Status::Ok();
    }
  }
}

}  // namespace

Result<Container> AwaitContainer(ContainerRuntime& runtime, const PodContainer& which,
                                 const WaitLimit& limit, Clock& clock,
                                 const AwaitOptions& options) {
  // Before the first look, so that nothing happens between the two.
  auto events = runtime.Watch(limit);
  while (true) {
    auto found = runtime.FindInPod(which, limit);
    if (found.ok() || !MayCome(found.status())) {
      return found;
    }
    if (const Status over = limit.Check(clock, "wait for " + Describe(which)); !over.ok()) {
      return Status(over.code(), std::string(over.message()) +
                                     "; last: " + std::string(found.status().message()));
    }
    const Status told = events.ok() ? AwaitStart(**events, limit.AtMost(clock, options.look_anyway))
                                    : events.status();
    if (!told.ok()) {
      SleepFor(clock, std::min(options.look_without_events, limit.Remaining(clock)), limit.stop);
      // A stream that broke is begun again; who tells no events is not asked twice.
      if (told.Is(Code::kUnsupported)) {
        events = told;
      } else {
        events = runtime.Watch(limit);
      }
    }
  }
}

}  // namespace hearth::agent
