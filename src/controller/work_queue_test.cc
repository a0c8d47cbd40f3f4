#include "controller/work_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "base/testing/manual_clock.h"

namespace hearth::controller {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

kube::ObjectKey Key(const std::string& name) { return {"ns", name}; }

class WorkQueueTest : public testing::Test {
 protected:
  WorkQueue::Options Plain() {
    return {.retry = {.initial = milliseconds(5), .max = seconds(1000), .factor = 2, .jitter = 0}};
  }
  // Takes what is ready without waiting.
  std::string Take() { return queue_.size() == 0 ? "" : queue_.Get({})->name; }
  std::vector<std::string> TakeAll() {
    std::vector<std::string> names;
    for (std::string name = Take(); !name.empty(); name = Take()) {
      names.push_back(name);
    }
    return names;
  }

  ManualClock clock_;
  WorkQueue queue_{clock_, Plain()};
};

TEST_F(WorkQueueTest, KeysComeInTheOrderTheyWereAdded) {
  queue_.Add(Key("c"));
  queue_.Add(Key("a"));
  queue_.Add(Key("b"));
  EXPECT_THAT(TakeAll(), testing::ElementsAre("c", "a", "b"));
}

TEST_F(WorkQueueTest, KeyAddedTwiceComesOnce) {
  queue_.Add(Key("a"));
  queue_.Add(Key("b"));
  queue_.Add(Key("a"));
  EXPECT_EQ(queue_.size(), 2U);
  EXPECT_THAT(TakeAll(), testing::ElementsAre("a", "b"));
}

TEST_F(WorkQueueTest, SameNameInAnotherNamespaceIsAnotherKey) {
  queue_.Add({"one", "a"});
  queue_.Add({"two", "a"});
  queue_.Add({"", "a"});
  EXPECT_EQ(queue_.size(), 3U);
}

TEST_F(WorkQueueTest, HigherPriorityComesFirstAndStaysInOrder) {
  queue_.Add(Key("low1"), Priority::kLow);
  queue_.Add(Key("normal1"));
  queue_.Add(Key("high1"), Priority::kHigh);
  queue_.Add(Key("low2"), Priority::kLow);
  queue_.Add(Key("normal2"));
  queue_.Add(Key("high2"), Priority::kHigh);
  EXPECT_THAT(TakeAll(),
              testing::ElementsAre("high1", "high2", "normal1", "normal2", "low1", "low2"));
}

TEST_F(WorkQueueTest, PriorityIsRaisedNeverLowered) {
  queue_.Add(Key("a"), Priority::kLow);
  queue_.Add(Key("b"), Priority::kHigh);
  queue_.Add(Key("c"));
  queue_.Add(Key("a"), Priority::kHigh);
  queue_.Add(Key("b"), Priority::kLow);
  EXPECT_THAT(TakeAll(), testing::ElementsAre("b", "a", "c"));
}

TEST_F(WorkQueueTest, KeyAddedWhileRunningRunsOnceMore) {
  queue_.Add(Key("a"));
  EXPECT_EQ(Take(), "a");
  queue_.Add(Key("a"));
  queue_.Add(Key("a"));
  EXPECT_EQ(Take(), "") << "two workers would have the same key";
  queue_.Done(Key("a"));
  EXPECT_EQ(Take(), "a");
  queue_.Done(Key("a"));
  EXPECT_EQ(Take(), "");
  EXPECT_EQ(queue_.running(), 0U);
}

TEST_F(WorkQueueTest, KeyAddedWhileRunningKeepsTheHighestPriority) {
  queue_.Add(Key("a"));
  EXPECT_EQ(Take(), "a");
  queue_.Add(Key("a"), Priority::kHigh);
  queue_.Add(Key("a"), Priority::kLow);
  queue_.Add(Key("b"));
  queue_.Done(Key("a"));
  EXPECT_THAT(TakeAll(), testing::ElementsAre("a", "b"));
}

TEST_F(WorkQueueTest, DelayedKeyComesWhenItsTimeHasCome) {
  queue_.AddAfter(Key("a"), seconds(5));
  EXPECT_EQ(queue_.delayed(), 1U);
  clock_.Advance(seconds(5) - Duration(1));
  EXPECT_EQ(Take(), "");
  clock_.Advance(Duration(1));
  EXPECT_EQ(queue_.delayed(), 0U);
  EXPECT_EQ(Take(), "a");
}

TEST_F(WorkQueueTest, EarliestOfSeveralDelaysWins) {
  queue_.AddAfter(Key("a"), seconds(5));
  queue_.AddAfter(Key("a"), seconds(2));
  queue_.AddAfter(Key("a"), seconds(9));
  EXPECT_EQ(queue_.delayed(), 1U);
  clock_.Advance(seconds(2));
  EXPECT_EQ(Take(), "a");
  queue_.Done(Key("a"));
  clock_.Advance(seconds(20));
  EXPECT_EQ(Take(), "");
}

TEST_F(WorkQueueTest, AddingAtOnceEndsADelay) {
  queue_.AddAfter(Key("a"), seconds(5), Priority::kHigh);
  queue_.Add(Key("b"));
  queue_.Add(Key("a"));
  EXPECT_EQ(queue_.delayed(), 0U);
  EXPECT_THAT(TakeAll(), testing::ElementsAre("a", "b")) << "the delayed key's priority was lost";
}

TEST_F(WorkQueueTest, DelayOfAReadyKeyChangesNothing) {
  queue_.Add(Key("a"));
  queue_.AddAfter(Key("a"), seconds(5));
  EXPECT_EQ(queue_.delayed(), 0U);
  EXPECT_EQ(Take(), "a");
}

TEST_F(WorkQueueTest, DelayThatEndsWhileTheKeyRunsWaitsForDone) {
  queue_.Add(Key("a"));
  EXPECT_EQ(Take(), "a");
  queue_.AddAfter(Key("a"), seconds(1));
  clock_.Advance(seconds(1));
  EXPECT_EQ(Take(), "");
  queue_.Done(Key("a"));
  EXPECT_EQ(Take(), "a");
}

TEST_F(WorkQueueTest, DelaySetWhileRunningOutlivesDone) {
  queue_.Add(Key("a"));
  EXPECT_EQ(Take(), "a");
  queue_.AddAfter(Key("a"), seconds(1));
  queue_.Done(Key("a"));
  EXPECT_EQ(Take(), "");
  EXPECT_EQ(queue_.delayed(), 1U);
  clock_.Advance(seconds(1));
  EXPECT_EQ(Take(), "a");
}

TEST_F(WorkQueueTest, ManyDelaysComeInTheOrderOfTheirTimes) {
  Random random(7);
  std::multimap<Duration, std::string> expected;
  for (int i = 0; i < 500; ++i) {
    const Duration delay = milliseconds(1 + random.Below(100));
    queue_.AddAfter(Key(std::to_string(i)), delay);
    expected.emplace(delay, std::to_string(i));
  }
  // Leaving from the middle must not disturb the order.
  for (auto at = expected.begin(); at != expected.end();) {
    if (random.Below(3) == 0) {
      queue_.Add(Key(at->second));
      at = expected.erase(at);
    } else {
      ++at;
    }
  }
  TakeAll();
  for (const auto& [delay, name] : expected) {
    clock_.Advance(std::max(Duration::zero(), SteadyTime(hours(1)) + delay - clock_.Now()));
    EXPECT_EQ(Take(), name);
  }
}

TEST_F(WorkQueueTest, FailuresOfAKeyDelayItMoreAndMore) {
  for (const Duration delay : {milliseconds(5), milliseconds(10), milliseconds(20)}) {
    queue_.AddFailed(Key("a"));
    clock_.Advance(delay - Duration(1));
    EXPECT_EQ(queue_.size(), 0U);
    clock_.Advance(Duration(1));
    EXPECT_EQ(Take(), "a");
    queue_.Done(Key("a"));
  }
  EXPECT_EQ(queue_.failures(Key("a")), 3);
  EXPECT_EQ(queue_.failures(Key("b")), 0);
}

TEST_F(WorkQueueTest, ForgottenFailuresStartAnew) {
  queue_.AddFailed(Key("a"));
  queue_.AddFailed(Key("a"));
  queue_.Forget(Key("a"));
  EXPECT_EQ(queue_.failures(Key("a")), 0);
  EXPECT_EQ(queue_.delayed(), 1U) << "forgetting failures must not forget the key";
  queue_.Forget(Key("never seen"));
  clock_.Advance(seconds(1));
  EXPECT_EQ(Take(), "a");
  queue_.Done(Key("a"));
  queue_.AddFailed(Key("a"));
  clock_.Advance(milliseconds(5));
  EXPECT_EQ(Take(), "a");
}

TEST_F(WorkQueueTest, DelayNeverGrowsBeyondTheMaximum) {
  for (int i = 0; i < 100; ++i) {
    queue_.AddFailed(Key("a"));
    clock_.Advance(seconds(1000));
    ASSERT_EQ(Take(), "a");
    queue_.Done(Key("a"));
  }
}

TEST_F(WorkQueueTest, FailureWaitsAtLeastAsLongAsAsked) {
  queue_.AddFailed(Key("a"), seconds(3));
  clock_.Advance(seconds(3) - Duration(1));
  EXPECT_EQ(Take(), "");
  clock_.Advance(Duration(1));
  EXPECT_EQ(Take(), "a");
}

TEST_F(WorkQueueTest, RetryKeepsThePriorityOfTheRun) {
  queue_.Add(Key("low"), Priority::kLow);
  EXPECT_EQ(Take(), "low");
  queue_.AddFailed(Key("low"));
  queue_.Done(Key("low"));
  clock_.Advance(seconds(1));
  queue_.Add(Key("normal"));
  EXPECT_THAT(TakeAll(), testing::ElementsAre("normal", "low"));
}

TEST_F(WorkQueueTest, GetWaitsForAKey) {
  std::optional<kube::ObjectKey> got;
  std::jthread worker([&] { got = queue_.Get({}); });
  queue_.Add(Key("a"));
  worker.join();
  EXPECT_EQ(got, Key("a"));
}

TEST_F(WorkQueueTest, GetWaitsForADelay) {
  queue_.AddAfter(Key("a"), seconds(5));
  std::optional<kube::ObjectKey> got;
  std::jthread worker([&] { got = queue_.Get({}); });
  clock_.AwaitWaiters(1);
  clock_.Advance(seconds(5));
  worker.join();
  EXPECT_EQ(got, Key("a"));
}

TEST_F(WorkQueueTest, AnEarlierDelayShortensTheWaitOfASleepingWorker) {
  queue_.AddAfter(Key("late"), hours(1));
  std::optional<kube::ObjectKey> got;
  std::jthread worker([&] { got = queue_.Get({}); });
  clock_.AwaitWaiters(1);
  queue_.AddAfter(Key("early"), seconds(1));
  // The worker may still be on its way to the new time: it looks at the clock before it sleeps.
  clock_.Advance(seconds(1));
  worker.join();
  EXPECT_EQ(got, Key("early"));
}

TEST_F(WorkQueueTest, EveryDelayIsKeptWhileWorkersComeAndGo) {
  queue_.AddAfter(Key("a"), seconds(1));
  queue_.AddAfter(Key("b"), seconds(2));
  std::optional<kube::ObjectKey> first;
  std::optional<kube::ObjectKey> second;
  std::jthread one([&] { first = queue_.Get({}); });
  std::jthread two([&] { second = queue_.Get({}); });
  clock_.AwaitWaiters(1);
  clock_.Advance(seconds(1));
  // Whoever is left must take over watching the time.
  clock_.AwaitWaiters(1);
  clock_.Advance(seconds(1));
  one.join();
  two.join();
  EXPECT_THAT((std::set{first->name, second->name}), testing::ElementsAre("a", "b"));
}

TEST_F(WorkQueueTest, StopEndsTheWait) {
  std::stop_source stop;
  std::optional<kube::ObjectKey> got = Key("something");
  std::jthread worker([&] { got = queue_.Get(stop.get_token()); });
  stop.request_stop();
  worker.join();
  EXPECT_EQ(got, std::nullopt);
  queue_.Add(Key("a"));
  EXPECT_EQ(queue_.Get(stop.get_token()), std::nullopt) << "stopped, whatever is ready";
}

TEST_F(WorkQueueTest, StopOfOneWorkerLeavesTheDelaysToTheOthers) {
  queue_.AddAfter(Key("a"), seconds(5));
  std::stop_source stop;
  std::jthread stopped([&] { EXPECT_EQ(queue_.Get(stop.get_token()), std::nullopt); });
  clock_.AwaitWaiters(1);
  std::optional<kube::ObjectKey> got;
  std::jthread worker([&] { got = queue_.Get({}); });
  stop.request_stop();
  stopped.join();
  clock_.AwaitWaiters(1);
  clock_.Advance(seconds(5));
  worker.join();
  EXPECT_EQ(got, Key("a"));
}

TEST_F(WorkQueueTest, ShutDownEndsEveryWaitAndTakesNothingMore) {
  queue_.AddAfter(Key("later"), seconds(5));
  std::vector<std::jthread> workers;
  for (int i = 0; i < 3; ++i) {
    workers.emplace_back([&] { EXPECT_EQ(queue_.Get({}), std::nullopt); });
  }
  queue_.ShutDown();
  workers.clear();
  queue_.Add(Key("a"));
  queue_.AddAfter(Key("b"), seconds(1));
  queue_.AddFailed(Key("c"));
  EXPECT_EQ(queue_.size(), 0U);
  EXPECT_EQ(queue_.delayed(), 1U);
  EXPECT_EQ(queue_.Get({}), std::nullopt);
}

TEST_F(WorkQueueTest, RunningKeyMayBeDoneAfterShutDown) {
  queue_.Add(Key("a"));
  EXPECT_EQ(Take(), "a");
  queue_.ShutDown();
  queue_.Done(Key("a"));
  EXPECT_EQ(queue_.running(), 0U);
}

TEST_F(WorkQueueTest, ManyKeysInAndOutLeaveNothingBehind) {
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 20000; ++i) {
      queue_.Add({"ns-" + std::to_string(i % 7), "name-" + std::to_string(i)});
    }
    ASSERT_EQ(queue_.size(), 20000U);
    kube::ObjectKey key;
    for (int i = 0; i < 20000; ++i) {
      ASSERT_TRUE(queue_.Get({}, key));
      ASSERT_EQ(key.name, "name-" + std::to_string(i));
      queue_.Done(key);
    }
    ASSERT_EQ(queue_.size() + queue_.running() + queue_.delayed(), 0U);
  }
}

TEST(WorkQueueDeathTest, DoneOfAKeyThatIsNotRunningIsABug) {
  ManualClock clock;
  WorkQueue queue(clock, {});
  queue.Add(Key("a"));
  EXPECT_DEATH(queue.Done(Key("a")), "ns/a");
  EXPECT_DEATH(queue.Done(Key("b")), "ns/b");
}

TEST(WorkQueueMetrics, TellWhatHappened) {
  ManualClock clock;
  Metrics metrics;
  WorkQueue queue(clock, {.metrics = &metrics, .name = "widgets"});
  queue.Add(Key("a"));
  queue.Add(Key("a"));
  queue.Add(Key("b"));
  clock.Advance(seconds(2));
  queue.Get({});
  clock.Advance(seconds(3));
  queue.Get({});
  clock.Advance(seconds(4));
  queue.AddFailed(Key("a"));
  queue.SampleMetrics();
  const MetricLabels labels = {{"name", "widgets"}};
  EXPECT_EQ(metrics.counter("workqueue_adds_total", "", labels).value(), 2);
  EXPECT_EQ(metrics.counter("workqueue_retries_total", "", labels).value(), 1);
  EXPECT_EQ(metrics.gauge("workqueue_depth", "", labels).value(), 0);
  EXPECT_EQ(metrics.gauge("workqueue_unfinished_work_seconds", "", labels).value(), 7 + 4);
  EXPECT_EQ(metrics.gauge("workqueue_longest_running_processor_seconds", "", labels).value(), 7);
  queue.Done(Key("a"));
  queue.Done(Key("b"));
  queue.SampleMetrics();
  EXPECT_EQ(metrics.gauge("workqueue_unfinished_work_seconds", "", labels).value(), 0);
  const std::string text = metrics.Expose();
  EXPECT_THAT(text, testing::HasSubstr("workqueue_queue_duration_seconds_sum{name=\"widgets\"} 7"));
  EXPECT_THAT(text, testing::HasSubstr("workqueue_work_duration_seconds_sum{name=\"widgets\"} 11"));
}

// Adders and workers in a crowd, with real time: what is added is worked on afterwards, and never
// by two at once.
TEST(WorkQueueCrowd, EveryAddIsWorkedOnAndNoKeyByTwoAtOnce) {
  constexpr int kKeys = 17;
  constexpr int kAddsEach = 3000;
  WorkQueue queue(RealClock(), {.retry = {.initial = Duration(1000), .max = Duration(100000)}});
  struct Cell {
    std::atomic<int> wanted{0};  // raised before each Add
    std::atomic<int> seen{0};    // `wanted` as the last pass saw it
    std::atomic<int> inside{0};
  };
  std::vector<Cell> cells(kKeys);
  std::atomic<int> collisions{0};

  const auto work = [&](uint64_t seed) {
    Random random(seed);
    kube::ObjectKey key;
    while (queue.Get({}, key)) {
      Cell& cell = cells[std::stoi(key.name)];
      collisions += cell.inside++ != 0 ? 1 : 0;
      cell.seen = cell.wanted.load();
      --cell.inside;
      if (random.Below(5) == 0) {
        queue.AddFailed(key);
      } else {
        queue.Forget(key);
      }
      queue.Done(key);
    }
  };
  const auto add = [&](uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < kAddsEach; ++i) {
      const auto n = random.Below(kKeys);
      const auto priority = static_cast<Priority>(static_cast<int>(random.Below(3)) - 1);
      ++cells[n].wanted;
      queue.AddAfter(Key(std::to_string(n)), Duration(random.Below(3) * 1000), priority);
    }
  };
  std::vector<std::jthread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back(work, 100 + i);
  }
  {
    std::vector<std::jthread> adders;
    for (int i = 0; i < 3; ++i) {
      adders.emplace_back(add, i);
    }
  }
  const auto settled = [&] {
    return std::all_of(cells.begin(), cells.end(),
                       [](const Cell& cell) { return cell.seen == cell.wanted; });
  };
  const SteadyTime give_up = RealClock().Now() + seconds(60);
  while (!settled() && RealClock().Now() < give_up) {
    std::this_thread::yield();
  }
  queue.ShutDown();
  workers.clear();
  EXPECT_EQ(collisions, 0);
  for (const Cell& cell : cells) {
    EXPECT_EQ(cell.seen, cell.wanted);
  }
}

}  // namespace
}  // namespace hearth::controller
