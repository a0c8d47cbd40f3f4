#include "controller/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "controller/internal/named_thread.h"

namespace hearth::controller {

void SideBySide(size_t count, const std::function<void(size_t index)>& work, size_t at_once) {
  std::atomic<size_t> next = 0;
  std::once_flag first;
  std::exception_ptr thrown;
  // Out of a thread it would end the process.
  const auto take = [&] {
    try {
      for (size_t index = next++; index < count; index = next++) {
        work(index);
      }
    } catch (...) {
      next = count;
      std::call_once(first, [&] { thrown = std::current_exception(); });
    }
  };
  {
    // The caller works, too.
    std::vector<std::jthread> others;
    others.reserve(std::min(count, at_once));
    for (size_t i = 1; i < std::min(count, at_once); ++i) {
      others.push_back(internal::NamedThread("writes", take));
    }
    take();
  }
  if (thrown) {
    std::rethrow_exception(thrown);
  }
}

}  // namespace hearth::controller
