#include "agent/container/await_container.h"

#include <fmt/format.h>

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
  Status last = NotFoundError(Describe(which) + " was not looked for");
  while (true) {
    auto found = runtime.FindInPod(which, limit);
    // Whoever was asked may know earlier that it is.
    const bool over = limit.Expired(clock) || found.status().Is(Code::kDeadlineExceeded);
    if (found.ok() || (!MayCome(found.status()) && !over)) {
      return found;
    }
    if (MayCome(found.status())) {
      last = found.status();
    }
    if (over) {
      const Status expired = limit.Check(clock, "wait for " + Describe(which));
      const Status& why = expired.ok() ? found.status() : expired;
      return Status(why.code(), fmt::format("{}; last: {}", why.message(), last.message()));
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
