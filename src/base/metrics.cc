#include "base/metrics.h"

#include <prometheus/check_names.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <variant>

#include "base/check.h"

namespace hearth {
namespace {

template <typename T>
T* As(void* impl) {
  return static_cast<T*>(impl);
}

prometheus::Labels ToLabels(const MetricLabels& labels) {
  prometheus::Labels made;
  for (const auto& [name, value] : labels) {
    CHECK(prometheus::CheckLabelName(name)) << "bad metric label name '" << name << "'";
    made.insert_or_assign(name, value);
  }
  return made;
}

// Hash order would make every scrape look different to a reader.
void Sort(std::vector<prometheus::MetricFamily>& families) {
  for (prometheus::MetricFamily& family : families) {
    std::sort(family.metric.begin(), family.metric.end(),
              [](const auto& a, const auto& b) { return a.label < b.label; });
  }
  std::sort(families.begin(), families.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
}

}  // namespace

void Counter::Add(double amount) {
  if (impl_ != nullptr) {
    As<prometheus::Counter>(impl_)->Increment(amount);
  }
}

double Counter::value() const {
  return impl_ != nullptr ? As<prometheus::Counter>(impl_)->Value() : 0;
}

void Gauge::Set(double value) {
  if (impl_ != nullptr) {
    As<prometheus::Gauge>(impl_)->Set(value);
  }
}

void Gauge::Add(double amount) {
  if (impl_ != nullptr) {
    As<prometheus::Gauge>(impl_)->Increment(amount);
  }
}

double Gauge::value() const { return impl_ != nullptr ? As<prometheus::Gauge>(impl_)->Value() : 0; }

void Histogram::Observe(double value) {
  if (impl_ != nullptr) {
    As<prometheus::Histogram>(impl_)->Observe(value);
  }
}

uint64_t Histogram::count() const {
  return impl_ != nullptr ? As<prometheus::Histogram>(impl_)->Collect().histogram.sample_count : 0;
}

struct Metrics::Impl {
  template <typename T>
  using FamilyOf = prometheus::Family<T>;
  using AnyFamily = std::variant<FamilyOf<prometheus::Counter>*, FamilyOf<prometheus::Gauge>*,
                                 FamilyOf<prometheus::Histogram>*>;

  // The family of that name, made by `builder` when it is the first time.
  template <typename T, typename Builder>
  FamilyOf<T>& Find(const std::string& name, const std::string& help, Builder builder) {
    std::lock_guard lock(mutex);
    auto at = families.find(name);
    if (at == families.end()) {
      CHECK(prometheus::CheckMetricName(name)) << "bad metric name '" << name << "'";
      auto& family = builder.Name(name).Help(help).Register(registry);
      at = families.emplace(name, &family).first;
    }
    auto* known = std::get_if<FamilyOf<T>*>(&at->second);
    CHECK(known != nullptr) << "metric '" << name << "' is of another kind already";
    return **known;
  }

  std::mutex mutex;
  prometheus::Registry registry;
  std::map<std::string, AnyFamily> families;
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

Counter Metrics::counter(const std::string& name, const std::string& help,
                         const MetricLabels& labels) {
  auto& family = impl_->Find<prometheus::Counter>(name, help, prometheus::BuildCounter());
  return Counter(&family.Add(ToLabels(labels)));
}

Gauge Metrics::gauge(const std::string& name, const std::string& help, const MetricLabels& labels) {
  auto& family = impl_->Find<prometheus::Gauge>(name, help, prometheus::BuildGauge());
  return Gauge(&family.Add(ToLabels(labels)));
}

Histogram Metrics::histogram(const std::string& name, const std::string& help,
                             const MetricLabels& labels, const std::vector<double>& bounds) {
  CHECK(std::adjacent_find(bounds.begin(), bounds.end(), std::greater_equal<>()) == bounds.end())
      << "the bounds of metric '" << name << "' do not rise";
  auto& family = impl_->Find<prometheus::Histogram>(name, help, prometheus::BuildHistogram());
  return Histogram(&family.Add(ToLabels(labels), bounds));
}

const std::vector<double>& Metrics::DurationBounds() {
  static const auto* bounds = [] {
    auto* made = new std::vector<double>;
    for (double bound = 0.001; bound < 66; bound *= 2) {
      made->push_back(bound);
    }
    return made;
  }();
  return *bounds;
}

std::string Metrics::Expose() const {
  std::vector<prometheus::MetricFamily> families = impl_->registry.Collect();
  Sort(families);
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace hearth
