#include "controller/internal/event_object.h"

#include <gtest/gtest.h>

#include <string>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::controller::internal {
namespace {

EventRecord Event() {
  EventRecord record;
  record.about = {kube::types::Deployments(), {"ns", "web"}, "u-1", "42"};
  record.type = EventType::kWarning;
  record.reason = "Failed";
  record.action = "Scale";
  record.note = "it did not work";
  record.time = WallTime(std::chrono::microseconds(1'700'000'000'123'456));
  record.name = EventName(record.about, record.time);
  return record;
}

EventRecorder::Options Reporter() {
  EventRecorder::Options options;
  options.reporting_controller = "tester";
  options.reporting_instance = "host-1";
  return options;
}

TEST(EventObject, IsAsTheApiWantsIt) {
  ASSERT_OK_AND_ASSIGN(const json::Value expected, json::ParseValue(R"({
    "apiVersion": "events.k8s.io/v1", "kind": "Event",
    "metadata": {"name": "web.17979cfe3d85ca00", "namespace": "ns"},
    "eventTime": "2023-11-14T22:13:20.123456Z",
    "reportingController": "tester", "reportingInstance": "host-1",
    "action": "Scale", "reason": "Failed", "note": "it did not work", "type": "Warning",
    "regarding": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "ns", "name": "web",
                  "uid": "u-1", "resourceVersion": "42"}})"));
  const json::Value made = EventObject(Event(), Reporter());
  EXPECT_EQ(made, expected) << made.Write();
}

TEST(EventObject, CarriesItsSeries) {
  EventRecord record = Event();
  record.count = 3;
  record.last_time = record.time + std::chrono::seconds(1);
  EXPECT_EQ(SeriesPatch(record).Write(),
            R"({"series":{"count":3,"lastObservedTime":"2023-11-14T22:13:21.123456Z"}})");
  EXPECT_EQ(*EventObject(record, Reporter()).Find("series"), *SeriesPatch(record).Find("series"));
}

TEST(EventObject, AboutAClusterScopedObjectLivesInDefault) {
  EventRecord record = Event();
  record.about = {kube::types::Nodes(), {"", "node-1"}, "", ""};
  const json::Value made = EventObject(record, Reporter());
  EXPECT_EQ(made.FindPath("metadata.namespace")->string(), "default");
  EXPECT_EQ(made.FindPath("regarding.namespace"), nullptr);
  EXPECT_EQ(made.FindPath("regarding.uid"), nullptr);
}

TEST(EventName, FitsTheRulesForNames) {
  const WallTime time(std::chrono::seconds(1'700'000'000));
  for (const std::string& subject :
       {std::string("web"), std::string(253, 'a'), std::string(200, 'a') + std::string(53, '-'),
        std::string("system:controller"), std::string("Big_Name"), std::string()}) {
    const std::string name = EventName({kube::types::Pods(), {"ns", subject}, "", ""}, time);
    EXPECT_OK(kube::CheckDnsSubdomain(name));
    EXPECT_LE(name.size(), 253U);
  }
}

TEST(CutText, CutsBetweenCharacters) {
  EXPECT_EQ(CutText("hello", 10), "hello");
  EXPECT_EQ(CutText("hello", 3), "hel");
  EXPECT_EQ(CutText("line\nline", 100), "line\nline");
  EXPECT_EQ(CutText("a\u00e9", 2), "a");
  EXPECT_EQ(CutText("\U0001F600\U0001F600", 7), "\U0001F600");
  EXPECT_EQ(CutText("", 0), "");
  EXPECT_LE(CutText(std::string(2000, '\xff'), 1024).size(), 1024U);
}

}  // namespace
}  // namespace hearth::controller::internal
