#include "controller/internal/event_series.h"

#include <gtest/gtest.h>

#include <string>

namespace hearth::controller::internal {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Verdict = EventSeries::Verdict;

class EventSeriesTest : public testing::Test {
 protected:
  static EventRecord Event(const std::string& reason, const std::string& subject = "a") {
    EventRecord record;
    record.about = {kube::types::Pods(), {"ns", subject}, "uid-" + subject, "7"};
    record.reason = reason;
    record.action = reason;
    record.note = "note";
    record.name = subject + "." + reason;
    return record;
  }
  Verdict Observe(const std::string& reason, const std::string& subject = "a") {
    EventRecord record = Event(reason, subject);
    return series_.Observe(record, now_);
  }

  EventSeries series_{EventRecorder::Options{}};
  SteadyTime now_{std::chrono::hours(1)};
};

TEST_F(EventSeriesTest, SecondLikeItBeginsASeriesAndTheRestIsCounted) {
  EXPECT_EQ(Observe("Failed"), Verdict::kCreate);
  EventRecord second = Event("Failed");
  second.name = "made up later";
  EXPECT_EQ(series_.Observe(second, now_), Verdict::kUpdate);
  EXPECT_EQ(second.count, 2);
  EXPECT_EQ(second.name, "a.Failed") << "the series is that of the first event";
  EXPECT_EQ(Observe("Failed"), Verdict::kCounted);
  EXPECT_EQ(Observe("Failed"), Verdict::kCounted);
}

TEST_F(EventSeriesTest, DifferentEventsAreNoSeries) {
  EXPECT_EQ(Observe("Failed"), Verdict::kCreate);
  EXPECT_EQ(Observe("Pulled"), Verdict::kCreate);
  EXPECT_EQ(Observe("Failed", "b"), Verdict::kCreate);
  EventRecord warning = Event("Failed");
  warning.type = EventType::kWarning;
  EXPECT_EQ(series_.Observe(warning, now_), Verdict::kCreate);
  EventRecord other_note = Event("Failed");
  other_note.note = "another";
  EXPECT_EQ(series_.Observe(other_note, now_), Verdict::kCreate);
}

TEST_F(EventSeriesTest, EndedSeriesIsWrittenOnceMore) {
  for (int i = 0; i < 5; ++i) {
    Observe("Failed");
  }
  EXPECT_EQ(series_.NextEnd(), now_ + minutes(6));
  EXPECT_FALSE(series_.TakeEnded(now_ + minutes(6) - Duration(1)).has_value());
  const auto ended = series_.TakeEnded(now_ + minutes(6));
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->count, 5);
  EXPECT_FALSE(series_.TakeEnded(now_ + minutes(6)).has_value());
  EXPECT_EQ(series_.NextEnd(), SteadyTime::max());
  now_ += minutes(6);
  EXPECT_EQ(Observe("Failed"), Verdict::kCreate);
}

TEST_F(EventSeriesTest, NothingIsWrittenAtTheEndWhenEverythingIsKnown) {
  Observe("Once");
  Observe("Twice");
  Observe("Twice");
  EXPECT_FALSE(series_.TakeEnded(now_ + minutes(6)).has_value());
  EXPECT_EQ(series_.size(), 0U);
}

TEST_F(EventSeriesTest, LongSeriesIsWrittenEveryHalfHour) {
  Observe("Failed");
  Observe("Failed");
  int written = 0;
  for (int minute = 1; minute <= 95; ++minute) {
    now_ += minutes(1);
    EXPECT_FALSE(series_.TakeEnded(now_).has_value());
    written += Observe("Failed") == Verdict::kUpdate ? 1 : 0;
  }
  EXPECT_EQ(written, 3);
}

TEST_F(EventSeriesTest, SubjectThatTalksTooMuchIsFiltered) {
  for (int i = 0; i < 25; ++i) {
    EXPECT_EQ(Observe("Reason" + std::to_string(i)), Verdict::kCreate);
  }
  EXPECT_EQ(Observe("Another"), Verdict::kFiltered);
  EXPECT_EQ(Observe("Another", "b"), Verdict::kCreate) << "others are not to blame";
  EXPECT_EQ(Observe("Reason3"), Verdict::kUpdate) << "a series needs no new event";
  now_ += minutes(5);
  EXPECT_EQ(Observe("Another"), Verdict::kCreate);
  EXPECT_EQ(Observe("OneMore"), Verdict::kFiltered);
}

TEST_F(EventSeriesTest, ForgottenEventIsNewAgain) {
  Observe("Failed");
  EventRecord other = Event("Failed");
  other.name = "an older event of the same kind";
  series_.Forget(other);
  EXPECT_EQ(Observe("Failed"), Verdict::kUpdate);
  series_.Forget(Event("Failed"));
  EXPECT_EQ(Observe("Failed"), Verdict::kCreate);
}

TEST_F(EventSeriesTest, UnwrittenCountsCanBeTakenAnyTime) {
  for (int i = 0; i < 4; ++i) {
    Observe("Failed");
  }
  const auto unwritten = series_.TakeUnwritten();
  ASSERT_TRUE(unwritten.has_value());
  EXPECT_EQ(unwritten->count, 4);
  EXPECT_FALSE(series_.TakeUnwritten().has_value());
  EXPECT_EQ(Observe("Failed"), Verdict::kCounted) << "the series goes on";
}

TEST_F(EventSeriesTest, MemoryIsBounded) {
  for (int i = 0; i < 10000; ++i) {
    EXPECT_EQ(Observe("Failed", std::to_string(i)), Verdict::kCreate);
  }
  EXPECT_EQ(series_.size(), 4096U);
}

}  // namespace
}  // namespace hearth::controller::internal
