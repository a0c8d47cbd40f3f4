#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "agent/cuda/sequence.h"

namespace hearth::agent::cuda {

Status InLanes(size_t count, size_t lanes, const std::function<Status(size_t)>& work) {
  std::vector<Status> outcomes(count);
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  const auto lane = [&] {
    for (size_t i = next++; i < count && !failed; i = next++) {
      outcomes[i] = work(i);
      failed = failed || !outcomes[i].ok();
    }
  };
  {
    std::vector<std::jthread> others;
    for (size_t i = 1; i < std::min(lanes, count); ++i) {
      others.emplace_back(lane);
      ::pthread_setname_np(others.back().native_handle(), "cuda-lane");
    }
    lane();
  }
  const auto first = std::find_if(outcomes.begin(), outcomes.end(),
                                  [](const Status& outcome) { return !outcome.ok(); });
  return first == outcomes.end() ? Status::Ok() : *first;
}

}  // namespace hearth::agent::cuda
