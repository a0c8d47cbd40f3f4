// Watches and streaming lists.
#include <condition_variable>
#include <mutex>

#include "contract_test.h"
#include "event_log.h"
#include "json/parse.h"

namespace hearth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class KubeWatch : public ContractTest {
 protected:
  std::unique_ptr<http::Stream> Watch(const WatchOptions& options, WatchHandler& handler) {
    return client().StartWatch(types::ConfigMaps(), name_space(), options, handler, {});
  }
  void Change(const std::string& name, const std::string& value) {
    ASSERT_OK(Patch(types::ConfigMaps(), name, PatchType::kMerge,
                    json::Value::Object({{"data", json::Value::Object({{"k", value}})}})));
  }
  // Only what the test makes: a namespace may have ConfigMaps of its own.
  static constexpr const char* kMine = "mine=yes";
  json::Value Mine(const std::string& name) {
    json::Value map = ConfigMap(name);
    map.MakePath("metadata.labels.mine") = "yes";
    return map;
  }
};

TEST_P(KubeWatch, TellsWhatHappensAfterAVersion) {
  ASSERT_OK(Create(types::ConfigMaps(), Mine("before")));
  ASSERT_OK_AND_ASSIGN(const ListPage page,
                       client().List(types::ConfigMaps(), name_space(), Limit()));
  EventLog log;
  const auto stream =
      Watch({.label_selector = kMine, .resource_version = page.resource_version}, log);
  ASSERT_OK(Create(types::ConfigMaps(), Mine("a")));
  Change("a", "changed");
  ASSERT_OK(client().Delete(types::ConfigMaps(), Key("a"), Limit()));
  ASSERT_TRUE(log.Await(3));
  EXPECT_THAT(log.lines(), ElementsAre("ADDED a", "MODIFIED a", "DELETED a"));
  EXPECT_EQ(log.objects()[1]["data"]["k"].String(), "changed");
}

TEST_P(KubeWatch, LeavingTheSelectionIsADeletion) {
  ASSERT_OK_AND_ASSIGN(const Object created, Create(types::ConfigMaps(), Mine("a")));
  EventLog log;
  const auto stream =
      Watch({.label_selector = kMine, .resource_version = created.meta().resource_version()}, log);
  ASSERT_OK(Patch(types::ConfigMaps(), "a", PatchType::kJson,
                  json::Value::Array({json::Value::Object(
                      {{"op", "remove"}, {"path", "/metadata/labels/mine"}})})));
  ASSERT_TRUE(log.Await(1));
  EXPECT_THAT(log.lines(), ElementsAre("DELETED a"));
}

TEST_P(KubeWatch, InitialEventsEndWithABookmark) {
  ASSERT_OK(Create(types::ConfigMaps(), Mine("a")));
  ASSERT_OK(Create(types::ConfigMaps(), Mine("b")));
  EventLog log;
  const auto stream = Watch({.label_selector = kMine,
                             .resource_version_match = "NotOlderThan",
                             .send_initial_events = true},
                            log);
  ASSERT_TRUE(log.Await(3));
  auto lines = log.lines();
  EXPECT_EQ(lines[2], "BOOKMARK ");
  lines.pop_back();
  EXPECT_THAT(lines, UnorderedElementsAre("ADDED a", "ADDED b"));
  EXPECT_EQ(log.objects()[2].meta().annotation("k8s.io/initial-events-end"), "true");
}

TEST_P(KubeWatch, AServerSideTimeoutIsAProperEnd) {
  EventLog log;
  const auto stream = Watch({.timeout_seconds = 1}, log);
  ASSERT_TRUE(log.AwaitEnd());
  EXPECT_OK(log.end());
}

TEST_P(KubeWatch, ARefusedWatchTellsWhy) {
  EventLog log;
  const auto stream = Watch({.label_selector = "a in ("}, log);
  ASSERT_TRUE(log.AwaitEnd());
  EXPECT_CODE(Code::kInvalid, log.end());
}

class ItemLog : public ListHandler {
 public:
  Status OnItem(std::string_view object, size_t) override {
    ASSIGN_OR_RETURN(const json::Blob blob, json::Parse(object));
    names.push_back(Meta(blob.view()).name());
    return Status::Ok();
  }
  void OnEnd(Result<Tail> tail) override {
    std::lock_guard lock(mutex_);
    end_ = std::move(tail);
    changed_.notify_all();
  }
  Result<Tail> AwaitEnd() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::minutes(3), [&] { return end_.has_value(); });
    return end_.value_or(DeadlineError("the list did not end"));
  }
  std::vector<std::string> names;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Result<Tail>> end_;
};

TEST_P(KubeWatch, ListsCanBeStreamed) {
  for (int i = 0; i < 5; ++i) {
    ASSERT_OK(Create(types::ConfigMaps(), Mine("c" + std::to_string(i))));
  }
  ItemLog log;
  const auto stream = client().StartList(types::ConfigMaps(), name_space(),
                                         {.label_selector = kMine, .limit = 3}, log, {});
  ASSERT_OK_AND_ASSIGN(const ListHandler::Tail tail, log.AwaitEnd());
  EXPECT_THAT(log.names, ElementsAre("c0", "c1", "c2"));
  EXPECT_FALSE(tail.resource_version.empty());
  EXPECT_FALSE(tail.continue_token.empty());
}

INSTANTIATE_CONTRACT(KubeWatch);

}  // namespace
}  // namespace hearth::kube
