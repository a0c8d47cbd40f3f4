#include "controller/event_recorder.h"

#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/stop_waker.h"
#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "controller/testing/direct_transport.h"
#include "controller/testing/memory_api.h"

namespace hearth::controller {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const EventSubject kWeb{kube::types::Deployments(), {"ns", "web"}, "u-1", "42"};

class EventRecorderTest : public testing::Test {
 protected:
  Result<http::Response> Carry(const http::Request& request, const WaitLimit& limit) {
    StopWaker waker(limit.stop, mutex_, changed_);
    std::unique_lock lock(mutex_);
    while (hangs_) {
      RETURN_IF_ERROR(limit.Check(clock_, "request"));
      changed_.wait(lock);
    }
    RETURN_IF_ERROR(limit.Check(clock_, "request"));
    if (refuses_) {
      return UnavailableError("nobody there");
    }
    return api_.Answer(request);
  }
  void SetHangs(bool hangs) {
    std::lock_guard lock(mutex_);
    hangs_ = hangs;
    changed_.notify_all();
  }
  void Flush() { ASSERT_OK(recorder_.Flush(WaitLimit::Forever())); }
  std::vector<json::Value> Events() { return api_.All(kube::types::Events()); }
  static kube::ClientOptions OneTry() {
    kube::ClientOptions options;
    options.max_tries = 1;
    return options;
  }
  static EventRecorder::Options Small() {
    EventRecorder::Options options;
    options.max_queued = 10;
    return options;
  }

  ManualClock clock_;
  MemoryApi api_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool hangs_ = false;
  std::atomic<bool> refuses_{false};
  DirectTransport transport_{[this](const http::Request& request, const WaitLimit& limit) {
    return Carry(request, limit);
  }};
  kube::Client client_{transport_, clock_, OneTry()};
  EventRecorder recorder_{client_, clock_, Small(), Logger::Null()};
};

std::set<std::string> Threads() {
  std::set<std::string> ids;
  DIR* tasks = ::opendir("/proc/self/task");
  while (const dirent* task = ::readdir(tasks)) {
    ids.insert(task->d_name);
  }
  ::closedir(tasks);
  return ids;
}

// A thread that was joined is still listed for a moment, so those that go do not count.
size_t NewThreads(const std::set<std::string>& before) {
  const std::set<std::string> now = Threads();
  return static_cast<size_t>(std::count_if(
      now.begin(), now.end(), [&](const std::string& id) { return !before.contains(id); }));
}

TEST_F(EventRecorderTest, PublishesAnEvent) {
  recorder_.Record(kWeb, EventType::kNormal, "Scaled", "Scale", "to 3");
  Flush();
  const auto events = Events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].Find("note")->string(), "to 3");
  EXPECT_EQ(events[0].Find("action")->string(), "Scale");
  EXPECT_EQ(events[0].FindPath("regarding.name")->string(), "web");
  EXPECT_FALSE(events[0].Find("reportingInstance")->string().empty());
  EXPECT_EQ(recorder_.dropped(), 0U);
}

TEST_F(EventRecorderTest, EventsOfTheSameMomentHaveDifferentNames) {
  for (int i = 0; i < 5; ++i) {
    recorder_.Record(kWeb, EventType::kNormal, "Reason" + std::to_string(i), "", "x");
  }
  Flush();
  EXPECT_EQ(Events().size(), 5U);
}

TEST_F(EventRecorderTest, RepeatedEventBecomesASeries) {
  for (int i = 0; i < 7; ++i) {
    recorder_.Record(kWeb, EventType::kWarning, "Failed", "Pull", "no such image");
  }
  Flush();
  const auto events = Events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].FindPath("series.count")->Int(), 7);
  const auto requests = api_.requests();
  EXPECT_EQ(requests.size(), 3U) << "created, series begun, count at the flush: "
                                 << testing::PrintToString(requests);
}

TEST_F(EventRecorderTest, SeriesIsWrittenWhenItEnds) {
  for (int i = 0; i < 4; ++i) {
    recorder_.Record(kWeb, EventType::kWarning, "Failed", "Pull", "no such image");
  }
  while (api_.requests().size() < 2) {  // created, series begun
    std::this_thread::yield();
  }
  clock_.AwaitWaiters(1);
  clock_.Advance(minutes(6));
  Flush();
  const auto events = Events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].FindPath("series.count")->Int(), 4);
}

TEST_F(EventRecorderTest, ExpiredEventIsMadeAnewWithItsSeries) {
  recorder_.Record(kWeb, EventType::kWarning, "Failed", "Pull", "no such image");
  Flush();
  api_.Remove(kube::types::Events(), {"ns", Events()[0].FindPath("metadata.name")->string()});
  recorder_.Record(kWeb, EventType::kWarning, "Failed", "Pull", "no such image");
  Flush();
  const auto events = Events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].FindPath("series.count")->Int(), 2);
}

TEST_F(EventRecorderTest, WhatCannotBeSentIsDroppedAndForgotten) {
  refuses_ = true;
  recorder_.Record(kWeb, EventType::kNormal, "Scaled", "Scale", "to 3");
  Flush();
  EXPECT_EQ(recorder_.dropped(), 1U);
  refuses_ = false;
  recorder_.Record(kWeb, EventType::kNormal, "Scaled", "Scale", "to 3");
  Flush();
  ASSERT_EQ(Events().size(), 1U);
  EXPECT_EQ(Events()[0].Find("series"), nullptr) << "the lost one must not be counted";
}

TEST_F(EventRecorderTest, FullQueueDropsInsteadOfBlocking) {
  SetHangs(true);
  for (int i = 0; i < 20; ++i) {
    recorder_.Record(kWeb, EventType::kNormal, "Reason" + std::to_string(i), "", "x");
  }
  // Ten wait, one may be on its way.
  EXPECT_GE(recorder_.dropped(), 9U);
  EXPECT_LE(recorder_.dropped(), 10U);
  SetHangs(false);
  Flush();
  EXPECT_EQ(Events().size() + recorder_.dropped(), 20U);
}

TEST_F(EventRecorderTest, TalkativeSubjectIsCutOff) {
  EventRecorder recorder(client_, clock_, {}, Logger::Null());
  for (int i = 0; i < 40; ++i) {
    recorder.Record(kWeb, EventType::kNormal, "Reason" + std::to_string(i), "", "x");
  }
  ASSERT_OK(recorder.Flush(WaitLimit::Forever()));
  EXPECT_EQ(Events().size(), 25U);
  EXPECT_EQ(recorder.dropped(), 15U);
}

TEST_F(EventRecorderTest, FlushGivesUpWhenTold) {
  SetHangs(true);
  recorder_.Record(kWeb, EventType::kNormal, "Scaled", "Scale", "to 3");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_CODE(Code::kCancelled, recorder_.Flush({.stop = stop.get_token()}));
  SetHangs(false);
}

TEST_F(EventRecorderTest, GoesAwayWhileARequestHangs) {
  SetHangs(true);
  {
    EventRecorder recorder(client_, clock_, {}, Logger::Null());
    recorder.Record(kWeb, EventType::kNormal, "Scaled", "Scale", "to 3");
  }
  SetHangs(false);
}

TEST_F(EventRecorderTest, SendsNothingOnceAbandoned) {
  SetHangs(true);
  recorder_.Record(kWeb, EventType::kNormal, "Scaled", "Scale", "to 3");
  recorder_.Record(kWeb, EventType::kNormal, "Scaled", "Scale", "to 4");
  recorder_.Abandon();
  recorder_.Record(kWeb, EventType::kNormal, "Scaled", "Scale", "to 5");
  SetHangs(false);
  Flush();
  EXPECT_EQ(recorder_.dropped(), 3U);
}

TEST_F(EventRecorderTest, AbandonEndsAThreadThatWaitsForWork) {
  recorder_.Record(kWeb, EventType::kNormal, "Scaled", "Scale", "to 3");
  Flush();
  recorder_.Abandon();
  recorder_.Abandon();
  EXPECT_EQ(recorder_.dropped(), 0U);
}

TEST_F(EventRecorderTest, HasNoThreadBeforeTheFirstEvent) {
  const std::set<std::string> before = Threads();
  EventRecorder recorder(client_, clock_, {}, Logger::Null());
  ASSERT_OK(recorder.Flush(WaitLimit::Forever()));
  EXPECT_EQ(NewThreads(before), 0U);
  recorder.Record(kWeb, EventType::kNormal, "Scaled", "Scale", "to 3");
  EXPECT_EQ(NewThreads(before), 1U);
}

TEST_F(EventRecorderTest, LongNoteIsCut) {
  recorder_.Record(kWeb, EventType::kNormal, "Scaled", "", std::string(5000, 'x'));
  Flush();
  ASSERT_EQ(Events().size(), 1U);
  EXPECT_EQ(Events()[0].Find("note")->string().size(), 1024U);
  EXPECT_EQ(Events()[0].Find("action")->string(), "Scaled") << "the API wants an action";
}

}  // namespace
}  // namespace hearth::controller
