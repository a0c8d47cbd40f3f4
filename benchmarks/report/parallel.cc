#include "parallel.h"

#include <atomic>
#include <thread>
#include <vector>

#include "base/guarded.h"

namespace hearth::bench {

Status ForEachInParallel(size_t count, size_t threads,
                         const std::function<Status(size_t number)>& work) {
  std::atomic<size_t> next{0};
  Guarded<Status> failure;
  const auto run = [&] {
    for (size_t number = next++; number < count; number = next++) {
      if (const Status done = work(number); !done.ok()) {
        const auto first = failure.Lock();
        *first = first->ok() ? done : *first;
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (size_t i = 0; i < threads; ++i) {
      workers.emplace_back(run);
    }
  }
  return *failure.Lock();
}

}  // namespace hearth::bench
