#include "meter.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "base/hash.h"

namespace hearth::bench {
namespace {

int64_t WallNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

// The nearest-rank quantile, given in thousandths.
double Microseconds(const std::vector<int64_t>& sorted, size_t thousandths) {
  if (sorted.empty()) {
    return 0;
  }
  const size_t rank = (sorted.size() * thousandths + 999) / 1000;
  return static_cast<double>(sorted[std::max<size_t>(rank, 1) - 1]) / 1000;
}

}  // namespace

void Meter::Observe(const kube::ObjectKey& key, std::string_view sent_text) {
  const int64_t now = WallNanoseconds();
  int64_t sent = 0;
  std::from_chars(sent_text.data(), sent_text.data() + sent_text.size(), sent);
  const uint64_t hash = HashBytes(key.name, HashBytes(key.name_space));
  const std::lock_guard lock(mutex_);
  const auto [last, added] = last_sent_.try_emplace(hash, sent);
  if (added) {
    changed_.notify_one();
  } else if (last->second != sent) {
    last->second = sent;
    latencies_ns_.push_back(now - sent);
  }
}

void Meter::CountReconcile() {
  reconciles_.fetch_add(1, std::memory_order_relaxed);
  if (storming()) {
    const std::lock_guard lock(mutex_);
    if (--round_left_ == 0) {
      changed_.notify_one();
    }
  }
}

void Meter::AwaitKeys(size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return last_sent_.size() >= count; });
}

void Meter::BeginRound(size_t reconciles) {
  const std::lock_guard lock(mutex_);
  round_left_ = reconciles;
  storming_ = true;
}

void Meter::AwaitRound() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return round_left_ == 0; });
  storming_ = false;
}

std::string Meter::TakeStats() {
  std::vector<int64_t> sorted;
  {
    const std::lock_guard lock(mutex_);
    sorted = std::exchange(latencies_ns_, {});
  }
  std::sort(sorted.begin(), sorted.end());
  return fmt::format(
      R"({{"event":"stats","reconciles":{},"events":{},"p50_us":{:.1f},"p99_us":{:.1f},"p999_us":{:.1f},"count":{},"cpu_seconds":{:.6f}}})",
      reconciles_.exchange(0), events_.exchange(0), Microseconds(sorted, 500),
      Microseconds(sorted, 990), Microseconds(sorted, 999), sorted.size(), CpuSeconds());
}

}  // namespace hearth::bench
