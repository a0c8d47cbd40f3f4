#include "base/guarded.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <string>
#include <thread>
#include <vector>

namespace hearth {
namespace {

TEST(Guarded, MakesItsValueFromArguments) {
  const Guarded<std::string> text(3, 'x');
  EXPECT_EQ(*text.Lock(), "xxx");
}

TEST(Guarded, ThreadsDoNotLoseUpdates) {
  Guarded<int> count(0);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&count] {
        for (int j = 0; j < 1000; ++j) {
          ++*count.Lock();
        }
      });
    }
  }
  EXPECT_EQ(*count.Lock(), 4000);
}

TEST(Guarded, ItsLockServesAConditionVariable) {
  Guarded<bool> ready(false);
  std::condition_variable cv;
  std::jthread setter([&] {
    *ready.Lock() = true;
    cv.notify_all();
  });
  auto locked = ready.Lock();
  cv.wait(locked.lock(), [&] { return *locked; });
  EXPECT_TRUE(*locked);
}

}  // namespace
}  // namespace hearth
