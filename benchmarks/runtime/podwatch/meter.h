#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/model/names.h"

namespace hearth::bench {

// Counts what happens in a podwatch, and how long after its sending each change was seen.
// Thread-safe.
class Meter {
 public:
  void CountEvent() { events_.fetch_add(1, std::memory_order_relaxed); }
  // A reconcile saw this value of bench/sent.
  void Observe(const kube::ObjectKey& key, std::string_view sent_text);
  void CountReconcile();

  // Returns once so many different keys have been observed.
  void AwaitKeys(size_t count);

  // A storm round: between Begin and the end of Await, `storming` is true. Await returns after so
  // many reconciles.
  void BeginRound(size_t reconciles);
  void AwaitRound();
  bool storming() const { return storming_.load(std::memory_order_relaxed); }

  // The answer to `stats`; latencies and counters start again.
  std::string TakeStats();

 private:
  std::atomic<uint64_t> events_{0};
  std::atomic<uint64_t> reconciles_{0};
  std::atomic<bool> storming_{false};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<uint64_t, int64_t> last_sent_;  // by hash of the key
  std::vector<int64_t> latencies_ns_;
  size_t round_left_ = 0;
};

}  // namespace hearth::bench
