#include "admission/grove/internal/schedulers.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"

namespace hearth::admission::grove {

std::string_view DefaultScheduler(const Setup& setup) {
  return setup.schedulers.empty() ? kDefaultScheduler : std::string_view(setup.schedulers.front());
}

bool IsEnabled(const Setup& setup, std::string_view scheduler) {
  return scheduler == kDefaultScheduler ||
         std::find(setup.schedulers.begin(), setup.schedulers.end(), scheduler) !=
             setup.schedulers.end();
}

bool KnowsTopology(std::string_view scheduler) { return scheduler == kKai; }

std::string EnabledText(const Setup& setup) {
  std::vector<std::string> names = setup.schedulers;
  if (std::find(names.begin(), names.end(), kDefaultScheduler) == names.end()) {
    names.emplace_back(kDefaultScheduler);
  }
  return Join(names, ", ");
}

}  // namespace hearth::admission::grove
