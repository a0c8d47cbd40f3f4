#include "base/metrics.h"

#include <gtest/gtest.h>

#include <thread>

namespace hearth {
namespace {

TEST(Metrics, ExposesEverythingInAFixedOrder) {
  Metrics metrics;
  metrics.gauge("queue_depth", "Keys that wait").Set(2.5);
  metrics.counter("requests_total", "Requests served", {{"verb", "list"}, {"code", "200"}}).Add(3);
  metrics.counter("requests_total", "Requests served", {{"verb", "get"}, {"code", "200"}}).Add();
  Histogram took =
      metrics.histogram("took_seconds", "How long it took", {{"step", "a\"b"}}, {0.1, 1});
  took.Observe(0.1);
  took.Observe(0.5);
  took.Observe(7);
  EXPECT_EQ(metrics.Expose(), R"(# HELP queue_depth Keys that wait
# TYPE queue_depth gauge
queue_depth 2.5
# HELP requests_total Requests served
# TYPE requests_total counter
requests_total{code="200",verb="get"} 1
requests_total{code="200",verb="list"} 3
# HELP took_seconds How long it took
# TYPE took_seconds histogram
took_seconds_count{step="a\"b"} 3
took_seconds_sum{step="a\"b"} 7.6
took_seconds_bucket{step="a\"b",le="0.1"} 1
took_seconds_bucket{step="a\"b",le="1"} 2
took_seconds_bucket{step="a\"b",le="+Inf"} 3
)");
}

TEST(Metrics, SameNameAndLabelsAreTheSameSeries) {
  Metrics metrics;
  Counter first = metrics.counter("a_total", "help", {{"x", "1"}, {"y", "2"}});
  Counter again = metrics.counter("a_total", "other help", {{"y", "2"}, {"x", "1"}});
  Counter other = metrics.counter("a_total", "help", {{"x", "9"}, {"y", "2"}});
  first.Add(2);
  EXPECT_EQ(again.value(), 2);
  EXPECT_EQ(other.value(), 0);
  EXPECT_EQ(metrics.Expose().find("other help"), std::string::npos);
}

TEST(Metrics, CountersOnlyRise) {
  Metrics metrics;
  Counter counter = metrics.counter("a_total", "help");
  counter.Add(2);
  counter.Add(-1);
  EXPECT_EQ(counter.value(), 2);
}

TEST(Metrics, GaugesGoBothWays) {
  Metrics metrics;
  Gauge gauge = metrics.gauge("a", "help");
  gauge.Set(5);
  gauge.Add(-7);
  EXPECT_EQ(gauge.value(), -2);
}

TEST(Metrics, EmptyHandlesDoNothing) {
  Counter counter;
  Gauge gauge;
  Histogram histogram;
  counter.Add();
  gauge.Set(1);
  gauge.Add(1);
  histogram.Observe(1);
  EXPECT_EQ(counter.value(), 0);
  EXPECT_EQ(gauge.value(), 0);
  EXPECT_EQ(histogram.count(), 0U);
}

TEST(Metrics, ThreadsDoNotLoseUpdates) {
  Metrics metrics;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&metrics] {
        for (int j = 0; j < 1000; ++j) {
          metrics.counter("a_total", "help").Add();
          metrics.histogram("b", "help", {}, {1}).Observe(1);
        }
      });
    }
  }
  EXPECT_EQ(metrics.counter("a_total", "help").value(), 4000);
  EXPECT_EQ(metrics.histogram("b", "help", {}, {1}).count(), 4000U);
}

TEST(Metrics, DurationBoundsDoubleFromAMillisecondToAMinute) {
  const std::vector<double>& bounds = Metrics::DurationBounds();
  EXPECT_DOUBLE_EQ(bounds.front(), 0.001);
  EXPECT_NEAR(bounds.back(), 65.5, 0.1);
  for (size_t i = 1; i < bounds.size(); ++i) {
    EXPECT_DOUBLE_EQ(bounds[i], 2 * bounds[i - 1]);
  }
}

TEST(MetricsDeathTest, NameOfAnotherKindIsABug) {
  Metrics metrics;
  metrics.counter("a_total", "help");
  EXPECT_DEATH(metrics.gauge("a_total", "help"), "metric 'a_total' is of another kind");
}

TEST(MetricsDeathTest, MalformedNamesAndBoundsAreBugs) {
  Metrics metrics;
  EXPECT_DEATH(metrics.counter("a-b", "help"), "bad metric name 'a-b'");
  EXPECT_DEATH(metrics.counter("a", "help", {{"a-b", ""}}), "bad metric label name 'a-b'");
  EXPECT_DEATH(metrics.histogram("a", "help", {}, {2, 1}), "do not rise");
}

}  // namespace
}  // namespace hearth
