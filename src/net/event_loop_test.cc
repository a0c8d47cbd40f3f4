#include "net/event_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "net/internal/event_loop_impl.h"

namespace hearth::net {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::ElementsAre;

// Waits until everything posted so far has run.
void Drain(EventLoop& loop) {
  std::promise<void> done;
  loop.Post([&] { done.set_value(); });
  done.get_future().wait();
}

TEST(EventLoop, RunsWorkInOrderOnItsNamedThread) {
  EventLoop loop("the-loop");
  std::vector<int> order;
  std::string name(16, '\0');
  bool on_loop = false;
  for (int i = 0; i < 3; ++i) {
    loop.Post([&, i] { order.push_back(i); });
  }
  loop.Post([&] {
    pthread_getname_np(pthread_self(), name.data(), name.size());
    on_loop = loop.OnLoopThread();
  });
  Drain(loop);
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
  EXPECT_STREQ(name.c_str(), "the-loop");
  EXPECT_TRUE(on_loop);
  EXPECT_FALSE(loop.OnLoopThread());
}

TEST(EventLoop, LongNamesAreCut) {
  EventLoop loop("a-name-longer-than-the-kernel-takes");
  std::string name(32, '\0');
  loop.Post([&] { pthread_getname_np(pthread_self(), name.data(), name.size()); });
  Drain(loop);
  EXPECT_STREQ(name.c_str(), "a-name-longer-t");
}

TEST(EventLoop, TimersFireInTheOrderOfTheirTimes) {
  EventLoop loop("loop");
  std::vector<int> order;
  std::promise<void> done;
  // Far apart: this thread may be held up between one and the next.
  const auto late = loop.After(milliseconds(600), [&] {
    order.push_back(3);
    done.set_value();
  });
  const auto early = loop.After(milliseconds(1), [&] { order.push_back(1); });
  const auto middle = loop.After(milliseconds(300), [&] { order.push_back(2); });
  const auto never = loop.After(Duration::max(), [&] { order.push_back(4); });
  done.get_future().wait();
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

TEST(EventLoop, NegativeDelaysAreDueAtOnce) {
  EventLoop loop("loop");
  std::promise<void> done;
  const auto timer = loop.After(milliseconds(-5), [&] { done.set_value(); });
  done.get_future().wait();
}

TEST(EventLoop, ADestroyedTimerDoesNotFire) {
  EventLoop loop("loop");
  std::atomic<bool> fired{false};
  std::promise<void> later;
  // Long enough that it is not due before it is destroyed, however busy the machine is.
  auto timer = loop.After(milliseconds(300), [&] { fired = true; });
  timer = nullptr;
  const auto after = loop.After(milliseconds(310), [&] { later.set_value(); });
  later.get_future().wait();
  EXPECT_FALSE(fired);
}

TEST(EventLoop, ATimerDestroyedOnTheLoopNeverFiresThoughItIsDue) {
  EventLoop loop("loop");
  bool fired = false;
  std::promise<void> done;
  std::unique_ptr<EventLoop::Timer> killer;
  std::unique_ptr<EventLoop::Timer> victim;
  loop.Post([&] {
    // Both are due at the same turn; the first removes the second.
    killer = loop.After(Duration(0), [&] { victim = nullptr; });
    victim = loop.After(Duration(0), [&] { fired = true; });
  });
  Drain(loop);
  const auto last = loop.After(milliseconds(5), [&] { done.set_value(); });
  done.get_future().wait();
  EXPECT_FALSE(fired);
}

TEST(EventLoop, AnEarlierTimerIsNotDelayedByALaterOne) {
  EventLoop loop("loop");
  std::promise<void> done;
  const auto later = loop.After(hours(1), [] {});
  Drain(loop);
  const auto sooner = loop.After(milliseconds(1), [&] { done.set_value(); });
  done.get_future().wait();
}

TEST(EventLoop, CallbacksMaySetTimers) {
  EventLoop loop("loop");
  std::promise<void> done;
  std::unique_ptr<EventLoop::Timer> timer;
  int count = 0;
  std::function<void()> again = [&] {
    if (++count == 10) {
      done.set_value();
    } else {
      timer = loop.After(Duration(1000), again);
    }
  };
  loop.Post(again);
  done.get_future().wait();
  Drain(loop);
  EXPECT_EQ(count, 10);
}

TEST(EventLoop, StopWaitsForTheRunningCallback) {
  EventLoop loop("loop");
  std::promise<void> running;
  std::atomic<bool> finished{false};
  loop.Post([&] {
    running.set_value();
    for (int i = 0; i < 1000; ++i) {
      std::this_thread::yield();
    }
    finished = true;
  });
  running.get_future().wait();
  loop.Stop();
  EXPECT_TRUE(finished);
  loop.Stop();
}

TEST(EventLoop, WorkAfterStopIsDropped) {
  auto loop = std::make_unique<EventLoop>("loop");
  loop->Stop();
  bool ran = false;
  const auto held = std::make_shared<int>(1);
  loop->Post([&ran, held] { ran = true; });
  const auto timer = loop->After(Duration(0), [&ran, held] { ran = true; });
  loop = nullptr;
  EXPECT_FALSE(ran);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(EventLoop, ATimerMayOutliveItsLoop) {
  std::unique_ptr<EventLoop::Timer> timer;
  {
    EventLoop loop("loop");
    timer = loop.After(hours(1), [] {});
  }
  timer = nullptr;
}

TEST(EventLoop, TimersFromManyThreads) {
  EventLoop loop("loop");
  std::atomic<int> fired{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        std::promise<void> done;
        const auto dropped = loop.After(hours(1), [] {});
        const auto timer = loop.After(Duration(i), [&] {
          ++fired;
          done.set_value();
        });
        done.get_future().wait();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(fired, 800);
}

TEST(EventLoop, RunAndWaitRunsOnTheLoopOrHereOnceItEnded) {
  EventLoop loop("loop");
  bool on_loop = false;
  loop.impl().RunAndWait([&] { on_loop = loop.OnLoopThread(); });
  EXPECT_TRUE(on_loop);
  loop.Stop();
  bool ran = false;
  loop.impl().RunAndWait([&] { ran = true; });
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace hearth::net
