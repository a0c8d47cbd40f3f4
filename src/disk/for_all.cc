#include "disk/for_all.h"

#include <thread>
#include <vector>

#include "base/guarded.h"

namespace hearth::disk {

Status ForAll(size_t count, const std::stop_token& stop,
              const std::function<Status(size_t index, std::stop_token stop)>& work) {
  std::stop_source source;
  const std::stop_callback forward(stop, [&] { source.request_stop(); });
  Guarded<Status> first;
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        Status done = work(i, source.get_token());
        if (done.ok()) {
          return;
        }
        auto known = first.Lock();
        if (known->ok()) {
          *known = std::move(done);
        }
        source.request_stop();
      });
    }
  }
  return *first.Lock();
}

}  // namespace hearth::disk
