#include "population.h"

#include <fmt/format.h>

namespace hearth::bench {
namespace {

size_t IsRunning(const controller::CachedObject& object) {
  return object.view()["status"]["phase"].Equals("Running") ? 1 : 0;
}

}  // namespace

void PopulationCounter::Follow(controller::Informer& informer) {
  informer.OnChange([this](const controller::Change& change) {
    {
      const std::lock_guard lock(mutex_);
      Population& here = by_name_space_[std::string(change.object().name_space())];
      if (change.before) {
        --here.there;
        here.running -= IsRunning(*change.before);
      }
      if (change.after) {
        ++here.there;
        here.running += IsRunning(*change.after);
      }
    }
    changed_.notify_all();
  });
}

Population PopulationCounter::In(const std::string& name_space) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_space_.find(name_space);
  return found == by_name_space_.end() ? Population() : found->second;
}

Status PopulationCounter::Await(const std::string& name_space, const Condition& condition,
                                const WaitLimit& limit) const {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto found = by_name_space_.find(name_space);
    const Population here = found == by_name_space_.end() ? Population() : found->second;
    if (condition(here)) {
      return {};
    }
    if (limit.Expired(RealClock())) {
      return DeadlineError(fmt::format("{} has {} objects, {} of them running, and that is not it",
                                       name_space, here.there, here.running));
    }
    RealClock().WaitUntil(lock, changed_, limit.deadline);
  }
}

}  // namespace hearth::bench
