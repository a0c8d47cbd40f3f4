#include "controller/reflector.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "kube/model/api_status.h"

namespace hearth::controller {
namespace {

using namespace std::chrono_literals;
using R = Reflector;

class ReflectorTest : public testing::Test {
 protected:
  static R::Options Listing() {
    R::Options options;
    options.watch_list = false;
    return options;
  }

  std::vector<R::Action> Step(const R::Input& input) { return reflector_.Step(input, now_); }

  // The one action of this type; fails the test when there is none.
  template <typename T>
  static T Only(const std::vector<R::Action>& actions) {
    for (const R::Action& action : actions) {
      if (const T* found = std::get_if<T>(&action)) {
        return *found;
      }
    }
    ADD_FAILURE() << "no such action among " << actions.size();
    return T{};
  }

  template <typename T>
  static bool Has(const std::vector<R::Action>& actions) {
    for (const R::Action& action : actions) {
      if (std::holds_alternative<T>(action)) {
        return true;
      }
    }
    return false;
  }

  void SyncAt(const std::string& version) {
    Step(R::Begin{});
    Step(R::ListEnd{version, ""});
    ASSERT_EQ(reflector_.state(), R::State::kWatching);
  }

  static Status Expired() {
    return Status(Code::kGone, "Expired", "too old resource version: 5 (7)");
  }
  static Status TooLarge() {
    return Status(Code::kDeadlineExceeded, "Timeout", "Too large resource version")
        .WithCause({std::string(kube::reason::kResourceVersionTooLarge),
                    "Too large resource version", ""});
  }

  SteadyTime now_{1h};
  R reflector_{Listing(), Random(1)};
};

class StreamingReflectorTest : public ReflectorTest {
 protected:
  static R::Options Streaming() {
    R::Options options;
    options.watch_list = true;
    return options;
  }
  StreamingReflectorTest() { reflector_ = R(Streaming(), Random(1)); }
};

// What a server has cached may be older than what this controller wrote before it was restarted.
TEST_F(ReflectorTest, FirstListAsksForTheNewestState) {
  const auto actions = Step(R::Begin{});
  EXPECT_TRUE(Has<R::BeginReplace>(actions));
  const auto list = Only<R::StartList>(actions);
  EXPECT_EQ(list.options.resource_version, "");
  EXPECT_EQ(list.options.limit, 500);
  EXPECT_EQ(list.options.resource_version_match, "");
}

TEST_F(ReflectorTest, PagesFollowTheTokenWithoutAVersion) {
  Step(R::Begin{});
  const auto next = Only<R::StartList>(Step(R::ListEnd{"7", "token"}));
  EXPECT_EQ(next.options.continue_token, "token");
  EXPECT_EQ(next.options.resource_version, "");
  EXPECT_FALSE(reflector_.synced());
}

TEST_F(ReflectorTest, LastPageEndsTheReplaceAndWatchesFromTheListsVersion) {
  Step(R::Begin{});
  const auto actions = Step(R::ListEnd{"7", ""});
  EXPECT_EQ(Only<R::EndReplace>(actions).resource_version, "7");
  const auto watch = Only<R::StartWatch>(actions);
  EXPECT_EQ(watch.options.resource_version, "7");
  EXPECT_TRUE(watch.options.bookmarks);
  EXPECT_FALSE(watch.options.send_initial_events);
  EXPECT_GE(watch.options.timeout_seconds, 300);
  EXPECT_LT(watch.options.timeout_seconds, 600);
  EXPECT_TRUE(reflector_.synced());
}

TEST_F(ReflectorTest, ExpiredTokenStartsOverInOnePiece) {
  Step(R::Begin{});
  Step(R::ListEnd{"7", "token"});
  const auto actions = Step(R::ListFailed{Expired()});
  EXPECT_TRUE(Has<R::BeginReplace>(actions));
  const auto again = Only<R::StartList>(actions);
  EXPECT_EQ(again.options.limit, 0);
  EXPECT_EQ(again.options.continue_token, "");
}

TEST_F(ReflectorTest, EventsMoveTheVersionOn) {
  SyncAt("7");
  auto actions = Step(R::Event{kube::WatchEventType::kModified, "9"});
  EXPECT_TRUE(Has<R::Upsert>(actions));
  EXPECT_EQ(Only<R::Advance>(actions).resource_version, "9");
  actions = Step(R::Event{kube::WatchEventType::kDeleted, "10"});
  EXPECT_TRUE(Has<R::Remove>(actions));
  EXPECT_EQ(reflector_.resource_version(), "10");
}

TEST_F(ReflectorTest, BookmarksMoveTheVersionOn) {
  SyncAt("7");
  const auto actions = Step(R::Event{kube::WatchEventType::kBookmark, "20"});
  EXPECT_FALSE(Has<R::Upsert>(actions));
  now_ += 5s;
  EXPECT_EQ(Only<R::StartWatch>(Step(R::WatchEnd{})).options.resource_version, "20");
}

TEST_F(ReflectorTest, WatchThatEndsIsResumedWhereItStopped) {
  SyncAt("7");
  Step(R::Event{kube::WatchEventType::kAdded, "8"});
  now_ += 5min;
  const auto actions = Step(R::WatchEnd{});
  EXPECT_EQ(Only<R::StartWatch>(actions).options.resource_version, "8");
  EXPECT_FALSE(Has<R::BeginReplace>(actions));
}

// So that a fleet that began together does not ask again together.
TEST_F(ReflectorTest, WatchesAreAskedToLastDifferentlyLong) {
  SyncAt("7");
  std::set<int64_t> lengths;
  for (int i = 0; i < 20; ++i) {
    now_ += 5min;
    lengths.insert(Only<R::StartWatch>(Step(R::WatchEnd{})).options.timeout_seconds);
  }
  EXPECT_GT(lengths.size(), 10U);
  EXPECT_GE(*lengths.begin(), 300);
  EXPECT_LT(*lengths.rbegin(), 600);
}

TEST_F(ReflectorTest, WatchCutMidLineIsResumedWithoutAList) {
  SyncAt("7");
  Step(R::Event{kube::WatchEventType::kAdded, "8"});
  now_ += 5s;
  const auto actions = Step(R::WatchEnd{DataLossError("cut")});
  EXPECT_EQ(Only<R::StartWatch>(actions).options.resource_version, "8");
}

TEST_F(ReflectorTest, VeryShortWatchWithoutEventsBacksOff) {
  SyncAt("7");
  const auto actions = Step(R::WatchEnd{});
  EXPECT_FALSE(Has<R::StartWatch>(actions));
  EXPECT_GT(Only<R::Wait>(actions).delay, 0s);
  EXPECT_EQ(Only<R::StartWatch>(Step(R::TimerFired{})).options.resource_version, "7");
}

TEST_F(ReflectorTest, ConnectionRefusedRetriesTheWatchAndNeverLists) {
  SyncAt("7");
  for (int i = 0; i < 20; ++i) {
    const auto actions = Step(R::WatchEnd{UnavailableError("connection refused")});
    EXPECT_FALSE(Has<R::StartList>(actions));
    EXPECT_LE(Only<R::Wait>(actions).delay, 30s);
    EXPECT_TRUE(Has<R::StartWatch>(Step(R::TimerFired{})));
  }
}

TEST_F(ReflectorTest, RetryAfterIsHonoured) {
  SyncAt("7");
  const auto busy = Status(Code::kExhausted, "TooManyRequests", "busy").WithRetryAfter(42s);
  EXPECT_GE(Only<R::Wait>(Step(R::WatchEnd{busy})).delay, 42s);
}

TEST_F(ReflectorTest, SlowRefusalIsARefusal) {
  SyncAt("7");
  now_ += 5s;
  const auto busy = Status(Code::kExhausted, "TooManyRequests", "busy").WithRetryAfter(42s);
  const auto actions = Step(R::WatchEnd{busy});
  EXPECT_FALSE(Has<R::StartWatch>(actions));
  EXPECT_GE(Only<R::Wait>(actions).delay, 42s);
  EXPECT_TRUE(Has<R::StartWatch>(Step(R::TimerFired{})));
  now_ += 5s;
  const auto broken = Status(Code::kInternal, "InternalError", "sorry").WithHttpCode(500);
  EXPECT_FALSE(Has<R::StartWatch>(Step(R::WatchEnd{broken})))
      << "it would ask once in 5 s for ever";
}

TEST_F(ReflectorTest, ExpiredWatchRelistsNotOlderThanWhatWasSeen) {
  SyncAt("7");
  Step(R::Event{kube::WatchEventType::kAdded, "8"});
  const auto actions = Step(R::WatchEnd{Expired()});
  EXPECT_TRUE(Only<R::Report>(actions).relist);
  const auto list = Only<R::StartList>(actions);
  EXPECT_EQ(list.options.resource_version, "8");
  EXPECT_EQ(list.options.resource_version_match, "NotOlderThan");
  EXPECT_EQ(list.options.limit, 0);
}

TEST_F(ReflectorTest, ExpiryAgainAndAgainDoesNotSpin) {
  SyncAt("7");
  Step(R::WatchEnd{Expired()});
  Step(R::ListEnd{"9", ""});
  const auto actions = Step(R::WatchEnd{Expired()});
  EXPECT_FALSE(Has<R::StartList>(actions));
  EXPECT_TRUE(Has<R::Wait>(actions));
}

TEST_F(ReflectorTest, ServerBehindUsIsAskedForItsNewestState) {
  SyncAt("700");
  Step(R::WatchEnd{Expired()});
  const auto actions = Step(R::ListFailed{TooLarge()});
  const auto list = Only<R::StartList>(actions);
  EXPECT_EQ(list.options.resource_version, "");
  EXPECT_EQ(list.options.limit, 500);
  EXPECT_TRUE(Only<R::BeginReplace>(actions).authoritative);
}

TEST_F(ReflectorTest, GarbageInTheStreamIsNotTrustedAndEverythingIsReadAgain) {
  SyncAt("7");
  EXPECT_TRUE(Has<R::StartList>(Step(R::WatchEnd{InvalidError("no watch event")})));
}

TEST_F(ReflectorTest, FailedListIsTriedAgainAfterAWhile) {
  Step(R::Begin{});
  EXPECT_TRUE(Has<R::Wait>(Step(R::ListFailed{UnavailableError("down")})));
  const auto actions = Step(R::TimerFired{});
  EXPECT_TRUE(Has<R::BeginReplace>(actions));
  EXPECT_TRUE(Has<R::StartList>(actions));
}

TEST_F(ReflectorTest, LongHealthyWatchForgetsFormerFailures) {
  SyncAt("7");
  for (int i = 0; i < 10; ++i) {
    Step(R::WatchEnd{UnavailableError("down")});
    Step(R::TimerFired{});
  }
  now_ += 3min;
  Step(R::WatchEnd{});  // resumed at once
  EXPECT_LE(Only<R::Wait>(Step(R::WatchEnd{UnavailableError("down")})).delay, 800ms);
}

TEST_F(ReflectorTest, RelistWantedInterruptsTheWatchAndReadsTheNewestState) {
  SyncAt("7");
  const auto actions = Step(R::RelistWanted{});
  EXPECT_TRUE(Has<R::StopStream>(actions));
  EXPECT_TRUE(Only<R::BeginReplace>(actions).authoritative);
  EXPECT_EQ(Only<R::StartList>(actions).options.resource_version, "");
}

TEST_F(ReflectorTest, RelistWantedWhileWaitingListsAfterwards) {
  SyncAt("7");
  Step(R::WatchEnd{UnavailableError("down")});
  EXPECT_TRUE(Step(R::RelistWanted{}).empty());
  EXPECT_TRUE(Has<R::StartList>(Step(R::TimerFired{})));
}

// Else whoever asks often enough keeps the list from ever coming to its end.
TEST_F(ReflectorTest, RelistWantedWhileListingComesBehindIt) {
  SyncAt("7");
  Step(R::RelistWanted{});
  EXPECT_TRUE(Step(R::RelistWanted{}).empty());
  EXPECT_TRUE(Step(R::RelistWanted{}).empty());
  auto actions = Step(R::ListEnd{"20", ""});
  EXPECT_EQ(Only<R::EndReplace>(actions).resource_version, "20");
  EXPECT_FALSE(Has<R::StartWatch>(actions));
  EXPECT_EQ(Only<R::Wait>(actions).delay, 0s);
  actions = Step(R::TimerFired{});
  EXPECT_TRUE(Only<R::BeginReplace>(actions).authoritative);
  EXPECT_EQ(Only<R::StartList>(actions).options.resource_version, "");
  actions = Step(R::ListEnd{"21", ""});
  EXPECT_EQ(Only<R::StartWatch>(actions).options.resource_version, "21") << "once is enough";
}

TEST_F(ReflectorTest, RelistWantedWhileAListFailsIsServedByTheNextTry) {
  Step(R::Begin{});
  EXPECT_TRUE(Step(R::RelistWanted{}).empty());
  EXPECT_TRUE(Has<R::Wait>(Step(R::ListFailed{UnavailableError("down")})));
  EXPECT_TRUE(Only<R::BeginReplace>(Step(R::TimerFired{})).authoritative);
  EXPECT_TRUE(Has<R::StartWatch>(Step(R::ListEnd{"9", ""})));
}

TEST_F(ReflectorTest, LateInputsOfAnotherStateChangeNothing) {
  SyncAt("7");
  EXPECT_TRUE(Step(R::ListEnd{"3", ""}).empty());
  EXPECT_TRUE(Step(R::TimerFired{}).empty());
  EXPECT_EQ(reflector_.resource_version(), "7");
}

TEST_F(StreamingReflectorTest, FirstFillingIsStreamed) {
  const auto actions = Step(R::Begin{});
  EXPECT_TRUE(Has<R::BeginReplace>(actions));
  const auto watch = Only<R::StartWatch>(actions);
  EXPECT_TRUE(watch.options.send_initial_events);
  EXPECT_EQ(watch.options.resource_version_match, "NotOlderThan");
  EXPECT_EQ(watch.options.resource_version, "") << "the newest state";
}

// Trap 3: synthetic ADDED events come in the order of names; taking their versions would skip
// changes after a cut.
TEST_F(StreamingReflectorTest, SyntheticEventsDoNotMoveTheVersion) {
  Step(R::Begin{});
  const auto actions = Step(R::Event{kube::WatchEventType::kAdded, "900"});
  EXPECT_TRUE(Has<R::Upsert>(actions));
  EXPECT_FALSE(Has<R::Advance>(actions));
  EXPECT_EQ(reflector_.resource_version(), "");
  EXPECT_FALSE(reflector_.synced());
}

TEST_F(StreamingReflectorTest, OnlyTheMarkedBookmarkEndsTheFilling) {
  Step(R::Begin{});
  EXPECT_TRUE(Step(R::Event{kube::WatchEventType::kBookmark, "5", false}).empty());
  const auto actions = Step(R::Event{kube::WatchEventType::kBookmark, "5", true});
  EXPECT_EQ(Only<R::EndReplace>(actions).resource_version, "5");
  EXPECT_FALSE(Has<R::StartWatch>(actions)) << "the same stream goes on";
  EXPECT_EQ(reflector_.state(), R::State::kWatching);
}

TEST_F(StreamingReflectorTest, RelistWantedDuringTheFillingComesBehindIt) {
  Step(R::Begin{});
  EXPECT_TRUE(Step(R::RelistWanted{}).empty());
  const auto actions = Step(R::Event{kube::WatchEventType::kBookmark, "5", true});
  EXPECT_EQ(Only<R::EndReplace>(actions).resource_version, "5");
  EXPECT_TRUE(Step(R::Event{kube::WatchEventType::kModified, "6"}).empty());
  EXPECT_TRUE(Only<R::BeginReplace>(Step(R::TimerFired{})).authoritative);
}

TEST_F(StreamingReflectorTest, CutDuringTheFillingStartsItOver) {
  Step(R::Begin{});
  Step(R::Event{kube::WatchEventType::kAdded, "900"});
  EXPECT_TRUE(Has<R::Wait>(Step(R::WatchEnd{DataLossError("cut")})));
  const auto actions = Step(R::TimerFired{});
  EXPECT_TRUE(Has<R::BeginReplace>(actions));
  EXPECT_TRUE(Only<R::StartWatch>(actions).options.send_initial_events);
}

TEST_F(StreamingReflectorTest, ServerThatCannotStreamIsListedInstead) {
  for (const Code code : {Code::kInvalid, Code::kInternal, Code::kUnsupported}) {
    reflector_ = R(Streaming(), Random(1));
    Step(R::Begin{});
    const auto actions = Step(R::WatchEnd{Status(code, "sendInitialEvents is forbidden")});
    EXPECT_TRUE(Has<R::StartList>(actions)) << CodeName(code);
  }
}

TEST_F(StreamingReflectorTest, ServerThatIsAwayIsNotTakenForOneThatCannotStream) {
  Step(R::Begin{});
  Step(R::WatchEnd{UnavailableError("connection refused")});
  EXPECT_TRUE(Only<R::StartWatch>(Step(R::TimerFired{})).options.send_initial_events);
}

}  // namespace
}  // namespace hearth::controller
