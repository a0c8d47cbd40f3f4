#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "kube/model/names.h"

namespace hearth::controller {

// Live changes go before first fillings and resyncs.
enum class Priority : int8_t { kLow = -1, kNormal = 0, kHigh = 1 };

// Keys waiting to be reconciled. A key is in it once, however often it is added; with several
// delays the earliest wins, with several priorities the highest. A key is handed to one worker at a
// time; added while it is being worked on, it comes once more after Done. First in, first out
// within a priority. Thread-safe.
class WorkQueue {
 public:
  struct Options {
    BackoffPolicy retry{std::chrono::milliseconds(5), std::chrono::seconds(1000), 2.0, 0.1};
    Metrics* metrics = nullptr;  // workqueue_* series, under `name`
    std::string name;
  };
  WorkQueue(Clock& clock, Options options);
  ~WorkQueue();

  void Add(const kube::ObjectKey& key, Priority priority = Priority::kNormal);
  // As Add, but wakes nobody: Flush must follow. For many keys in a row, where waking somebody for
  // each costs more than the work.
  void AddQuietly(const kube::ObjectKey& key, Priority priority = Priority::kNormal);
  void Flush();
  void AddAfter(const kube::ObjectKey& key, Duration delay, Priority priority = Priority::kNormal);
  // After this key's next backoff delay, and not before `at_least`. A key that is running keeps the
  // priority it was handed out with.
  void AddFailed(const kube::ObjectKey& key, Duration at_least = Duration::zero());
  // Its next failure starts from the first delay again.
  void Forget(const kube::ObjectKey& key);
  int failures(const kube::ObjectKey& key) const;

  // The next key, blocking until there is one. Nothing when stopped or shut down.
  std::optional<kube::ObjectKey> Get(const std::stop_token& stop);
  // The same into a key that is used again and again, so that nothing is allocated. False when
  // stopped or shut down.
  bool Get(const std::stop_token& stop, kube::ObjectKey& key);
  // The key may be handed out again. CHECKs that it was handed out.
  void Done(const kube::ObjectKey& key);
  // Forget and Done in one.
  void Succeeded(const kube::ObjectKey& key);

  // No further keys are handed out; Get returns at once.
  // Adding is without effect from here on; Done is not.
  void ShutDown();
  size_t size() const;     // ready now
  size_t delayed() const;  // ready later
  size_t running() const;  // handed out
  // Brings the two gauges about running keys up to date; to be called before the metrics are
  // exposed. They depend on the time that passes and nothing wakes up to move them.
  void SampleMetrics() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::controller
