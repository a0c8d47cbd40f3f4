#include "grove/reconcile/ensure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "controller/side_by_side.h"

namespace hearth::grove {
namespace {

// Wishes of which the first `granted` come true; how many were tried.
struct Requests {
  explicit Requests(size_t count, size_t granted) {
    wishes.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      wishes.push_back({error_code::kCreatePod, [this, i, granted]() -> Status {
                          ++tried;
                          return i < granted ? Status()
                                             : Status(Code::kInternal, "Forbidden", "no more");
                        }});
    }
  }
  std::vector<Wish> wishes;
  std::atomic<size_t> tried = 0;
  std::vector<api::grove::LastError> errors;
};

TEST(SendUntilRefused, SendsAllWhenAllIsWell) {
  for (const bool cautiously : {false, true}) {
    Requests requests(100, 100);
    const Sent sent = SendUntilRefused(requests.wishes, cautiously, requests.errors);
    EXPECT_TRUE(sent.failure.ok());
    EXPECT_EQ(requests.tried, 100U);
    EXPECT_TRUE(requests.errors.empty());
  }
}

TEST(SendUntilRefused, BeginsNothingMoreAfterARefusal) {
  Requests requests(1000, 0);
  const Sent sent = SendUntilRefused(requests.wishes, false, requests.errors);
  EXPECT_FALSE(sent.failure.ok());
  EXPECT_LE(requests.tried, controller::kWritesAtOnce) << "those that were under way";
  ASSERT_EQ(requests.errors.size(), 1U);
  EXPECT_THAT(requests.errors[0].description, testing::EndsWith("no more (and 999 more)"));
  for (const Status& outcome : sent.outcomes) {
    EXPECT_FALSE(outcome.ok());
  }
}

TEST(SendUntilRefused, TriesOneThenTwoThenFourAfterFormerRefusals) {
  Requests none(1000, 0);
  (void)SendUntilRefused(none.wishes, true, none.errors);
  EXPECT_EQ(none.tried, 1U);

  Requests some(1000, 3);
  const Sent sent = SendUntilRefused(some.wishes, true, some.errors);
  EXPECT_LE(some.tried, 7U);
  EXPECT_TRUE(sent.outcomes[2].ok());
  EXPECT_FALSE(sent.outcomes[3].ok());
  EXPECT_EQ(sent.failure.message(), "no more") << "not that the others were not tried";
}

TEST(SendEach, TriesTheOthersWhenOneIsRefused) {
  Requests requests(100, 99);
  const Sent sent = SendEach(requests.wishes, requests.errors);
  EXPECT_EQ(requests.tried, 100U);
  EXPECT_EQ(sent.refused, 1U);
  EXPECT_EQ(sent.refusal.message(), "no more");
}

// What is told of many refusals must fit into a status.
TEST(SendEach, StopsAfterManyRefusalsAndTellsThemAsOne) {
  Requests requests(5000, 0);
  const Sent sent = SendEach(requests.wishes, requests.errors);
  EXPECT_LE(requests.tried, kMostRefusals + controller::kWritesAtOnce);
  EXPECT_EQ(sent.refused, 5000U);
  ASSERT_EQ(requests.errors.size(), 1U);
  EXPECT_THAT(requests.errors[0].description, testing::EndsWith("no more (and 4999 more)"));
}

TEST(SendEach, LetsNobodyWaitForEverBehindThoseWhoAreRefused) {
  std::vector<bool> done(1000);
  std::vector<Wish> wishes;
  for (size_t i = 0; i < done.size(); ++i) {
    wishes.push_back({error_code::kClique, [&done, i]() -> Status {
                        if (i < 500) {
                          return {Code::kInternal, "Forbidden", "no"};
                        }
                        done[i] = true;
                        return {};
                      }});
  }
  std::vector<api::grove::LastError> errors;
  while (!done[999]) {
    (void)SendEach(wishes, errors);
  }
}

}  // namespace
}  // namespace hearth::grove
