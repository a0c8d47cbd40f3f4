#include "controller/informer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <thread>

#include "base/testing/status_matchers.h"
#include "controller/testing/pruned.h"
#include "controller/written.h"
#include "kube/client/testing/scripted_api.h"

namespace hearth::controller {
namespace {

using namespace std::chrono_literals;

std::string Event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

std::string EndOfInitial(int version) {
  return Event("BOOKMARK",
               R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":")" +
                   std::to_string(version) +
                   R"(","annotations":{"k8s.io/initial-events-end":"true"}}})");
}

std::string List(int version, const std::string& items) {
  return R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":")" +
         std::to_string(version) + R"("},"items":[)" + items + "]}";
}

class InformerTest : public testing::Test {
 protected:
  ~InformerTest() override {
    if (informer_) {
      informer_->Stop();
    }
  }

  void Start(bool watch_list = false, Scope scope = {}) {
    InformerOptions options;
    options.reflector.watch_list = watch_list;
    options.reflector.backoff.initial = 1ms;
    options.reflector.backoff.max = 2ms;
    informer_ = std::make_unique<Informer>(client_, RealClock(), kube::types::ConfigMaps(),
                                           std::move(scope), json::FieldSet::Everything(),
                                           std::vector<Index>{}, options, Logger::Null(), nullptr);
    informer_->OnChange([this](const Change& change) {
      const std::lock_guard lock(mutex_);
      changes_.push_back(std::string(change.object().name()) +
                         (change.type == Change::Type::kDeleted ? "-" : "+"));
      changed_.notify_all();
    });
    informer_->OnProgress([this] {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
    informer_->Start();
  }

  bool AwaitChanges(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 2min, [&] { return changes_.size() >= count; });
  }
  bool AwaitVersion(uint64_t version) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 2min,
                             [&] { return informer_->store().resource_version() >= version; });
  }
  std::vector<std::string> Changes() {
    const std::lock_guard lock(mutex_);
    return changes_;
  }
  static WaitLimit Soon() { return WaitLimit::For(RealClock(), 2min); }

  kube::ScriptedApi api_;
  net::EventLoop loop_{"informer-test"};
  std::unique_ptr<kube::Transport> transport_ = kube::MakeHandlerTransport(loop_, api_.handler());
  kube::Client client_{*transport_, RealClock()};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> changes_;
  std::unique_ptr<Informer> informer_;
};

TEST_F(InformerTest, ListsThenWatchesFromTheListsVersion) {
  api_.Json(200, List(7, ObjectText("a", "u1", 5)));
  api_.Stream({Event("ADDED", ObjectText("b", "u2", 8))}, true);
  Start();
  ASSERT_OK(informer_->WaitForSync(Soon()));
  ASSERT_TRUE(AwaitChanges(2));
  EXPECT_EQ(Changes(), (std::vector<std::string>{"a+", "b+"}));
  EXPECT_NE(api_.request_lines()[1].find("resourceVersion=7"), std::string::npos);
}

TEST_F(InformerTest, EachScopeHasMetricsOfItsOwn) {
  Metrics metrics;
  const auto make = [&](const Scope& scope) {
    return Informer(client_, RealClock(), kube::types::ConfigMaps(), scope,
                    json::FieldSet::Everything(), {}, {}, Logger::Null(), &metrics);
  };
  const Informer all = make({});
  const Informer some = make({.name_space = "ns", .label_selector = "app=a"});
  const std::string page = metrics.Expose();
  EXPECT_NE(page.find("hearth_informer_objects{resource=\"configmaps\",scope=\"\"}"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("scope=\"namespace:ns labels:app=a\"}"), std::string::npos) << page;
}

TEST_F(InformerTest, FirstFillingIsStreamedWhereTheServerCan) {
  api_.Stream({Event("ADDED", ObjectText("b", "u2", 90)), Event("ADDED", ObjectText("c", "u3", 3)),
               EndOfInitial(91), Event("DELETED", ObjectText("b", "u2", 92))},
              true);
  Start(true);
  ASSERT_OK(informer_->WaitForSync(Soon()));
  ASSERT_TRUE(AwaitChanges(3));
  EXPECT_EQ(Changes(), (std::vector<std::string>{"b+", "c+", "b-"}));
  EXPECT_TRUE(AwaitVersion(92));
}

TEST_F(InformerTest, ErrorEventInsideTheStreamRelistsAndTellsWhatVanished) {
  api_.Json(200, List(7, ObjectText("a", "u1", 5) + "," + ObjectText("b", "u2", 6)));
  api_.Stream(
      {Event(
          "ERROR",
          R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"too old"})")},
      true);
  api_.Json(200, List(20, ObjectText("b", "u9", 19)));
  api_.Stream({}, true);
  Start();
  ASSERT_TRUE(AwaitChanges(5)) << testing::PrintToString(api_.request_lines())
                               << ", changes: " << testing::PrintToString(Changes());
  EXPECT_EQ(Changes(), (std::vector<std::string>{"a+", "b+", "b-", "b+", "a-"}));
  EXPECT_NE(api_.request_lines()[2].find("resourceVersionMatch=NotOlderThan"), std::string::npos);
}

// Resumed from nowhere, a watch begins with what is there now: what was deleted before is never
// told.
TEST_F(InformerTest, EventWithoutAVersionIsNotBelievedAndEverythingIsReadAgain) {
  const std::string without[] = {
      Event("BOOKMARK", R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{}})"),
      Event("BOOKMARK", R"({"kind":"ConfigMap","metadata":{"resourceVersion":"soon"}})"),
      Event("MODIFIED", R"({"metadata":{"name":"a","namespace":"ns","uid":"u1"}})"),
  };
  api_.Json(200, List(7, ObjectText("a", "u1", 5)));
  int version = 20;
  for (const std::string& event : without) {
    api_.Stream({event}, true);
    api_.Json(200, List(version++, ObjectText("a", "u1", 5)));
  }
  api_.Stream({Event("DELETED", ObjectText("a", "u1", 30))}, true);
  Start();
  ASSERT_TRUE(AwaitChanges(2)) << testing::PrintToString(api_.request_lines());
  EXPECT_EQ(Changes(), (std::vector<std::string>{"a+", "a-"}));
  const auto lines = api_.request_lines();
  for (size_t i = 1; i < lines.size(); ++i) {  // the first list asks for the newest state
    EXPECT_NE(lines[i].find("resourceVersion="), std::string::npos) << lines[i];
  }
}

TEST_F(InformerTest, ListWithoutAVersionIsNotBelieved) {
  api_.Json(200, R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]})");
  api_.Json(200, List(7, ObjectText("a", "u1", 5)));
  api_.Stream({}, true);
  Start();
  ASSERT_TRUE(AwaitChanges(1));
  EXPECT_TRUE(AwaitVersion(7));
}

TEST_F(InformerTest, WatchCutInsideALineResumesWithoutLossOrRepetition) {
  const std::string second = Event("MODIFIED", ObjectText("a", "u1", 9, 3));
  api_.Json(200, List(7, ObjectText("a", "u1", 5)));
  api_.Stream(
      {Event("MODIFIED", ObjectText("a", "u1", 8, 2)), second.substr(0, second.size() / 2)});
  api_.Stream({second}, true);
  Start();
  ASSERT_TRUE(AwaitChanges(3));
  EXPECT_EQ(informer_->store().Get("ns", "a")->view()["spec"]["v"].Int(), 3);
  EXPECT_NE(api_.request_lines()[2].find("resourceVersion=8"), std::string::npos);
}

TEST_F(InformerTest, ObjectThatCannotBeReadIsSkippedAndTheRestArrives) {
  api_.Json(200, List(7, R"({"metadata":{}},)" + ObjectText("a", "u1", 5)));
  api_.Stream({Event("ADDED", R"({"kind":"Table","columnDefinitions":[]})"),
               Event("ADDED", ObjectText("b", "u2", 8))},
              true);
  Start();
  ASSERT_TRUE(AwaitChanges(2));
  EXPECT_EQ(Changes(), (std::vector<std::string>{"a+", "b+"}));
}

// Deeper than anybody reads. Its former state would be a ghost: it is never told of again.
TEST_F(InformerTest, ObjectThatCannotBeReadAnyMoreIsNotShownAsItWas) {
  std::string deep = ObjectText("a", "u1", 8);
  deep.insert(1, R"("deep":)" + std::string(5000, '[') + std::string(5000, ']') + ",");
  api_.Json(200, List(7, ObjectText("a", "u1", 5)));
  api_.Stream({Event("MODIFIED", deep), Event("ADDED", ObjectText("b", "u2", 9))}, true);
  Start();
  ASSERT_TRUE(AwaitChanges(3));
  EXPECT_EQ(Changes(), (std::vector<std::string>{"a+", "a-", "b+"}));
  EXPECT_FALSE(informer_->store().Get("ns", "a"));
}

TEST_F(InformerTest, UnreadableObjectThatWasNeverShownMovesTheVersionOn) {
  std::string deep = ObjectText("a", "u1", 8);
  deep.insert(1, R"("deep":)" + std::string(5000, '[') + std::string(5000, ']') + ",");
  api_.Json(200, List(7, ""));
  api_.Stream({Event("ADDED", deep)}, true);
  Start();
  EXPECT_TRUE(AwaitVersion(8)) << "whoever wrote it waits for the cache to show it";
  EXPECT_TRUE(Changes().empty());
}

TEST_F(InformerTest, WaitForSyncSaysWhyItTakesSoLong) {
  for (int i = 0; i < 5000; ++i) {  // more than it can ask in that time
    api_.Failure(Status(Code::kPermissionDenied, "Forbidden", "configmaps is forbidden"));
  }
  Start();
  ASSERT_TRUE(api_.AwaitRequests(2));
  const Status status = informer_->WaitForSync(WaitLimit::For(RealClock(), 50ms));
  EXPECT_CODE(Code::kDeadlineExceeded, status);
  EXPECT_NE(status.ToString().find("configmaps is forbidden"), std::string::npos)
      << status.ToString();
}

TEST_F(InformerTest, ScopeGoesIntoEveryRequest) {
  api_.Json(200, List(7, ""));
  api_.Stream({}, true);
  Start(false, {"ns", "app=web", ""});
  ASSERT_TRUE(api_.AwaitRequests(2));
  for (const std::string& line : api_.request_lines()) {
    EXPECT_NE(line.find("/namespaces/ns/configmaps"), std::string::npos) << line;
    EXPECT_NE(line.find("labelSelector=app%3Dweb"), std::string::npos) << line;
  }
}

// Counts what the gate has to say and does what a test wants done at that moment.
class Lines : public LogSink {
 public:
  void Write(LogLevel, std::string_view) override {
    std::function<void()> then;
    {
      const std::lock_guard lock(mutex_);
      ++count_;
      written_.notify_all();
      then = then_;
    }
    if (then) {
      then();
    }
  }
  void Then(std::function<void()> then) {
    const std::lock_guard lock(mutex_);
    then_ = std::move(then);
  }
  void Await(int count) {
    std::unique_lock lock(mutex_);
    written_.wait(lock, [&] { return count_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable written_;
  int count_ = 0;
  std::function<void()> then_;
};

class WrittenGateTest : public InformerTest {
 protected:
  static Write Wrote(uint64_t version) {
    const json::Blob blob = json::Blob::Trusted(ObjectText("a", "u1", version));
    return {kube::types::ConfigMaps(), {"ns", "a"}, "u1", version, false, kube::Object(blob)};
  }
  bool AwaitReleased() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 2min, [&] { return released_; });
  }
  std::function<void()> Release() {
    return [this] {
      const std::lock_guard lock(mutex_);
      released_ = true;
      changed_.notify_all();
    };
  }
  // A watch whose further events the test sends itself. They are in time, unless the gate is told
  // to be patient for a moment only.
  void StartWatching(Duration patience = 1h) {
    api_.Json(200, List(7, ObjectText("a", "u1", 5)));
    api_.Then([this](const http::Request&, std::unique_ptr<http::ResponseWriter> writer) {
      http::Response head;
      head.status = 200;
      EXPECT_OK(writer->Begin(std::move(head)));
      const std::lock_guard lock(mutex_);
      watch_ = std::move(writer);
      changed_.notify_all();
    });
    InformerOptions options;
    options.reflector.watch_list = false;
    informer_ = std::make_unique<Informer>(client_, RealClock(), kube::types::ConfigMaps(), Scope{},
                                           json::FieldSet::Everything(), std::vector<Index>{},
                                           options, Logger::Null(), nullptr);
    gate_ = std::make_unique<WrittenGate>(
        RealClock(), Logger(lines_, LogFormat::kText, LogLevel::kInfo), patience);
    gate_->Watch(*informer_);
    informer_->Start();
    EXPECT_OK(informer_->WaitForSync(Soon()));
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, 2min, [&] { return watch_ != nullptr; }));
  }
  void Send(const std::string& event) { EXPECT_OK(watch_->Write(event, Soon())); }

  std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
  std::unique_ptr<WrittenGate> gate_;
  std::unique_ptr<http::ResponseWriter> watch_;
  bool released_ = false;
};

TEST_F(WrittenGateTest, WhatTheCacheShowsAlreadyIsReleasedAtOnce) {
  StartWatching();
  gate_->HoldUntilSeen({Wrote(6)}, Release());
  EXPECT_TRUE(released_);
  gate_->HoldUntilSeen({}, Release());
  EXPECT_EQ(gate_->held(), 0U);
}

TEST_F(WrittenGateTest, HeldUntilTheEventArrives) {
  StartWatching();
  gate_->HoldUntilSeen({Wrote(9)}, Release());
  Send(Event("ADDED", ObjectText("other", "u5", 8)));
  EXPECT_EQ(gate_->held(), 1U);
  Send(Event("MODIFIED", ObjectText("a", "u1", 9)));
  EXPECT_TRUE(AwaitReleased());
}

TEST_F(WrittenGateTest, DeletionIsSeenWhenTheObjectIsGone) {
  StartWatching();
  Write gone = Wrote(0);
  gone.gone = true;
  gate_->HoldUntilSeen({gone}, Release());
  EXPECT_EQ(gate_->held(), 1U);
  Send(Event("DELETED", ObjectText("a", "u1", 9)));
  EXPECT_TRUE(AwaitReleased());
}

TEST_F(WrittenGateTest, DeletionIsSeenWhenAnotherObjectHasTheName) {
  StartWatching();
  Write gone = Wrote(0);
  gone.gone = true;
  gate_->HoldUntilSeen({gone}, Release());
  EXPECT_EQ(gate_->held(), 1U);
  Send(Event("ADDED", ObjectText("a", "u9", 9)));
  EXPECT_TRUE(AwaitReleased());
}

TEST_F(WrittenGateTest, OtherTypesAndObjectsOutOfScopeHoldNothing) {
  StartWatching();
  Write other = Wrote(99);
  other.type = kube::types::Secrets();
  gate_->HoldUntilSeen({other}, Release());
  EXPECT_TRUE(released_);
}

TEST_F(WrittenGateTest, AnInformerThatNeverShowsItIsMadeToReadAgain) {
  StartWatching(100ms);
  api_.Json(200, List(50, ObjectText("a", "u1", 40)));
  api_.Stream({}, true);
  gate_->HoldUntilSeen({Wrote(45)}, Release());
  EXPECT_TRUE(AwaitReleased());
  EXPECT_EQ(api_.request_lines()[2].find("resourceVersion="), std::string::npos)
      << "the newest state was wanted: " << api_.request_lines()[2];
}

// A list that takes longer than the gate's patience must come to its end, whoever asks meanwhile.
TEST_F(WrittenGateTest, AskingAgainDoesNotInterruptTheReading) {
  StartWatching(100ms);
  std::promise<std::unique_ptr<http::ResponseWriter>> list;
  api_.Then([&](const http::Request&, std::unique_ptr<http::ResponseWriter> writer) {
    list.set_value(std::move(writer));
  });
  api_.Json(200, List(51, ObjectText("a", "u1", 40)));
  api_.Stream({}, true);
  // Nothing is read again before both are held.
  std::promise<void> both;
  loop_.Post([held = both.get_future().share()] { held.wait(); });
  gate_->HoldUntilSeen({Wrote(145)}, Release());
  gate_->HoldUntilSeen({Wrote(146)}, Release());
  both.set_value();
  const auto writer = list.get_future().get();
  gate_->HoldUntilSeen({Wrote(147)}, Release());
  lines_->Await(2);
  EXPECT_EQ(gate_->held(), 3U);
  ASSERT_OK(writer->Send({200, {}, List(50, ObjectText("a", "u1", 40))}));
  ASSERT_TRUE(api_.AwaitRequests(5));
  while (gate_->held() > 0) {
    std::this_thread::yield();
  }
  const auto lines = api_.request_lines();
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) {
                            return line.find("watch=true") == std::string::npos;
                          }),
            3)
      << "the first, one for both that were held then, one for the third: "
      << testing::PrintToString(lines);
}

TEST_F(WrittenGateTest, GoesWhenNothingOfItRunsAnyMore) {
  StartWatching(100ms);
  gate_->HoldUntilSeen({Wrote(145)}, Release());
  informer_->Stop();
  std::promise<void> going;
  std::promise<void> gone;
  lines_->Then([&] {
    // In the middle of the timer's work, before it uses the informer.
    going.get_future().wait();
    EXPECT_EQ(gone.get_future().wait_for(50ms), std::future_status::timeout)
        << "the informer went while the gate used it";
  });
  lines_->Await(1);
  going.set_value();
  gate_ = nullptr;
  informer_ = nullptr;
  gone.set_value();
}

}  // namespace
}  // namespace hearth::controller
