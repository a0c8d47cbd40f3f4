#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace hearth::cli {

// Makes `count` things on several threads and hands them out one by one, in their order, on the
// thread that asks. Few are ahead at any time, so that memory does not grow with the count. `make`
// must be thread-safe. With less than two threads everything happens right here.
template <typename T, typename Make, typename Use>
void InOrder(size_t count, size_t threads, const Make& make, const Use& use) {
  if (threads < 2) {
    for (size_t i = 0; i < count; ++i) {
      use(make(i));
    }
    return;
  }
  std::mutex mutex;
  std::condition_variable changed;
  const size_t window = threads * 16;
  std::vector<std::optional<T>> made(window);  // thing i in slot i % window
  size_t taken = 0;                            // by makers
  size_t used = 0;
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return taken == count || taken < used + window; });
      if (taken == count) {
        return;
      }
      const size_t mine = taken++;
      lock.unlock();
      T thing = make(mine);
      lock.lock();
      made[mine % window] = std::move(thing);
      changed.notify_all();
    }
  };
  std::vector<std::jthread> workers;
  for (size_t i = 0; i < threads; ++i) {
    workers.emplace_back(work);
  }
  for (size_t i = 0; i < count; ++i) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return made[i % window].has_value(); });
    T thing = *std::exchange(made[i % window], std::nullopt);
    ++used;
    changed.notify_all();
    lock.unlock();
    use(std::move(thing));
  }
}

}  // namespace hearth::cli
