#include "base/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <string_view>

#include "base/check.h"

namespace hearth {

namespace internal {

// What a handle points to. Of a histogram, `value` is the sum of what was observed.
struct Series {
  explicit Series(const std::vector<double>& upper_bounds)
      : bounds(upper_bounds), buckets(upper_bounds.size() + 1) {}

  std::atomic<double> value{0};
  const std::vector<double>& bounds;           // the family's
  std::vector<std::atomic<uint64_t>> buckets;  // each without those before; the last has no bound
};

}  // namespace internal

namespace {

using internal::Series;

enum class Kind { kCounter, kGauge, kHistogram };

struct Family {
  Kind kind;
  std::string help;
  std::vector<double> bounds;
  std::map<std::string, Series> series;  // by labels as they are written: a="b",c="d"
};

bool IsName(std::string_view text, bool may_have_colon) {
  const auto fits = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (may_have_colon && c == ':');
  };
  // A double underscore in front is Prometheus's own.
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && !text.starts_with("__") &&
         std::all_of(text.begin(), text.end(), fits);
}

void AppendEscaped(std::string& out, std::string_view text, bool quoted) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || (quoted && c == '"')) {
      out += '\\';
    }
    out += c;
  }
}

std::string Written(const MetricLabels& labels) {
  std::map<std::string_view, std::string_view> sorted;
  for (const auto& [name, value] : labels) {
    CHECK(IsName(name, /*may_have_colon=*/false)) << "bad metric label name '" << name << "'";
    sorted.insert_or_assign(name, value);
  }
  std::string text;
  for (const auto& [name, value] : sorted) {
    text.append(text.empty() ? "" : ",").append(name).append("=\"");
    AppendEscaped(text, value, /*quoted=*/true);
    text += '"';
  }
  return text;
}

std::string Written(double number) {
  if (std::isnan(number)) {
    return "NaN";
  }
  if (std::isinf(number)) {
    return number > 0 ? "+Inf" : "-Inf";
  }
  return fmt::format("{}", number);
}

std::string_view NameOf(Kind kind) {
  return kind == Kind::kCounter ? "counter" : kind == Kind::kGauge ? "gauge" : "histogram";
}

void AppendLine(std::string& out, std::string_view name, std::string_view suffix,
                std::string_view labels, std::string_view value) {
  out.append(name).append(suffix);
  if (!labels.empty()) {
    out.append("{").append(labels).append("}");
  }
  out.append(" ").append(value).append("\n");
}

uint64_t Count(const Series& series) {
  uint64_t count = 0;
  for (const auto& bucket : series.buckets) {
    count += bucket.load(std::memory_order_relaxed);
  }
  return count;
}

void AppendHistogram(std::string& out, const std::string& name, const std::string& labels,
                     const Series& series) {
  std::string buckets;
  uint64_t count = 0;
  for (size_t i = 0; i < series.buckets.size(); ++i) {
    count += series.buckets[i].load(std::memory_order_relaxed);
    const std::string bound = i < series.bounds.size() ? Written(series.bounds[i]) : "+Inf";
    AppendLine(buckets, name, "_bucket",
               fmt::format("{}{}le=\"{}\"", labels, labels.empty() ? "" : ",", bound),
               std::to_string(count));
  }
  AppendLine(out, name, "_count", labels, std::to_string(count));
  AppendLine(out, name, "_sum", labels, Written(series.value.load()));
  out += buckets;
}

}  // namespace

void Counter::Add(double amount) {
  if (series_ != nullptr && amount > 0) {
    series_->value.fetch_add(amount, std::memory_order_relaxed);
  }
}

double Counter::value() const { return series_ != nullptr ? series_->value.load() : 0; }

void Gauge::Set(double value) {
  if (series_ != nullptr) {
    series_->value.store(value, std::memory_order_relaxed);
  }
}

void Gauge::Add(double amount) {
  if (series_ != nullptr) {
    series_->value.fetch_add(amount, std::memory_order_relaxed);
  }
}

double Gauge::value() const { return series_ != nullptr ? series_->value.load() : 0; }

void Histogram::Observe(double value) {
  if (series_ == nullptr) {
    return;
  }
  const std::vector<double>& bounds = series_->bounds;
  const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin();
  series_->buckets[static_cast<size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  series_->value.fetch_add(value, std::memory_order_relaxed);
}

uint64_t Histogram::count() const { return series_ != nullptr ? Count(*series_) : 0; }

struct Metrics::Impl {
  Series& Find(Kind kind, const std::string& name, const std::string& help,
               const MetricLabels& labels, const std::vector<double>& bounds) {
    const std::string written = Written(labels);
    const std::lock_guard lock(mutex);
    auto at = families.find(name);
    if (at == families.end()) {
      CHECK(IsName(name, /*may_have_colon=*/true)) << "bad metric name '" << name << "'";
      at = families.emplace(name, Family{kind, help, bounds, {}}).first;
    }
    Family& family = at->second;
    CHECK(family.kind == kind) << "metric '" << name << "' is of another kind already";
    return family.series.try_emplace(written, family.bounds).first->second;
  }

  std::mutex mutex;
  std::map<std::string, Family> families;
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

Counter Metrics::counter(const std::string& name, const std::string& help,
                         const MetricLabels& labels) {
  return Counter(impl_->Find(Kind::kCounter, name, help, labels, {}));
}

Gauge Metrics::gauge(const std::string& name, const std::string& help, const MetricLabels& labels) {
  return Gauge(impl_->Find(Kind::kGauge, name, help, labels, {}));
}

Histogram Metrics::histogram(const std::string& name, const std::string& help,
                             const MetricLabels& labels, const std::vector<double>& bounds) {
  CHECK(std::adjacent_find(bounds.begin(), bounds.end(), std::greater_equal<>()) == bounds.end())
      << "the bounds of metric '" << name << "' do not rise";
  return Histogram(impl_->Find(Kind::kHistogram, name, help, labels, bounds));
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
  const std::lock_guard lock(impl_->mutex);
  std::string out;
  for (const auto& [name, family] : impl_->families) {
    out.append("# HELP ").append(name).append(" ");
    AppendEscaped(out, family.help, /*quoted=*/false);
    out.append("\n# TYPE ").append(name).append(" ").append(NameOf(family.kind)).append("\n");
    for (const auto& [labels, series] : family.series) {
      if (family.kind == Kind::kHistogram) {
        AppendHistogram(out, name, labels, series);
      } else {
        AppendLine(out, name, "", labels, Written(series.value.load()));
      }
    }
  }
  return out;
}

}  // namespace hearth
