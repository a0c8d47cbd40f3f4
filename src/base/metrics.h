#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hearth {

namespace internal {
struct Series;
}

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

// Handles to one time series. Cheap to copy, valid as long as the Metrics they came from; without
// one they do nothing. Changed without a lock.
class Counter {
 public:
  Counter() = default;  // counts nothing
  void Add(double amount = 1);
  double value() const;

 private:
  friend class Metrics;
  explicit Counter(internal::Series& series) : series_(&series) {}
  internal::Series* series_ = nullptr;
};

class Gauge {
 public:
  Gauge() = default;
  void Set(double value);
  void Add(double amount);
  double value() const;

 private:
  friend class Metrics;
  explicit Gauge(internal::Series& series) : series_(&series) {}
  internal::Series* series_ = nullptr;
};

class Histogram {
 public:
  Histogram() = default;
  void Observe(double value);
  uint64_t count() const;

 private:
  friend class Metrics;
  explicit Histogram(internal::Series& series) : series_(&series) {}
  internal::Series* series_ = nullptr;
};

// A program's metrics and their Prometheus text exposition. Asking again for the same name and
// labels gives the same series; a name stays with its first kind, help and bounds. A name asked for
// as another kind, a malformed name and bounds that do not rise are bugs and CHECKed. Thread-safe.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  Counter counter(const std::string& name, const std::string& help,
                  const MetricLabels& labels = {});
  Gauge gauge(const std::string& name, const std::string& help, const MetricLabels& labels = {});
  // Upper bounds of the buckets, rising, without +Inf.
  Histogram histogram(const std::string& name, const std::string& help, const MetricLabels& labels,
                      const std::vector<double>& bounds);

  // 1 ms to about 60 s, doubling: what reconciles and requests take.
  static const std::vector<double>& DurationBounds();

  // Content type "text/plain; version=0.0.4".
  std::string Expose() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth
