#include "http/internal/life_signs.h"

#include <gtest/gtest.h>

namespace hearth::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Verdict = LifeSigns::Verdict;

constexpr Duration kInterval = seconds(10);

class LifeSignsTest : public testing::Test {
 protected:
  LifeSignsTest() { signs_.Begin(kInterval, now_); }

  // Lets time pass until the next check is due.
  Verdict CheckWhenDue() {
    now_ = signs_.next();
    return signs_.Check(now_);
  }
  void AskAndAnswer() {
    ASSERT_EQ(CheckWhenDue(), Verdict::kAsk);
    now_ += milliseconds(1);
    signs_.OnSign(now_);
  }

  SteadyTime now_ = SteadyTime(seconds(1000));
  LifeSigns signs_;
};

TEST_F(LifeSignsTest, AsksAfterTheIntervalAndNotWhileBytesArrive) {
  EXPECT_EQ(signs_.next(), now_ + kInterval);
  now_ += seconds(9);
  EXPECT_EQ(signs_.Check(now_), Verdict::kWait);
  signs_.OnData(now_);
  EXPECT_EQ(signs_.next(), now_ + kInterval);
  EXPECT_EQ(CheckWhenDue(), Verdict::kAsk);
}

TEST_F(LifeSignsTest, WhoUsedToAnswerAndDoesNotIsDead) {
  AskAndAnswer();
  AskAndAnswer();
  EXPECT_EQ(CheckWhenDue(), Verdict::kAsk);
  EXPECT_EQ(CheckWhenDue(), Verdict::kDead);
}

TEST_F(LifeSignsTest, WhoHasAnsweredElsewhereIsDeadTheFirstTime) {
  signs_.Begin(kInterval, now_, /*proven=*/true);
  EXPECT_EQ(CheckWhenDue(), Verdict::kAsk);
  EXPECT_EQ(CheckWhenDue(), Verdict::kDead);
}

TEST_F(LifeSignsTest, WhoNeverAnswersIsNotDeadAndAskedOnce) {
  EXPECT_EQ(CheckWhenDue(), Verdict::kAsk);
  EXPECT_EQ(CheckWhenDue(), Verdict::kWait);
  EXPECT_EQ(signs_.next(), SteadyTime::max());
  signs_.Begin(kInterval, now_);
  EXPECT_EQ(signs_.next(), SteadyTime::max()) << "the same server, another request";
}

TEST_F(LifeSignsTest, OneAnswerMayBeChance) {
  AskAndAnswer();
  EXPECT_EQ(CheckWhenDue(), Verdict::kAsk);
  EXPECT_EQ(CheckWhenDue(), Verdict::kWait);
  EXPECT_FALSE(signs_.on());
}

TEST_F(LifeSignsTest, AnswersThatComeWithDataAreNoProof) {
  for (int i = 0; i < 5; ++i) {
    AskAndAnswer();
    ASSERT_EQ(CheckWhenDue(), Verdict::kAsk);
    signs_.OnData(now_);
    signs_.OnSign(now_);
  }
  EXPECT_EQ(CheckWhenDue(), Verdict::kAsk);
  EXPECT_EQ(CheckWhenDue(), Verdict::kWait);
}

TEST_F(LifeSignsTest, DataOnceTrustedIsALifeSign) {
  AskAndAnswer();
  AskAndAnswer();
  ASSERT_EQ(CheckWhenDue(), Verdict::kAsk);
  signs_.OnData(now_);
  ASSERT_EQ(CheckWhenDue(), Verdict::kAsk);
  EXPECT_EQ(CheckWhenDue(), Verdict::kDead);
}

TEST_F(LifeSignsTest, WhoSleptItselfWaitsOnceMore) {
  AskAndAnswer();
  AskAndAnswer();
  ASSERT_EQ(CheckWhenDue(), Verdict::kAsk);
  now_ += seconds(60);
  EXPECT_EQ(signs_.Check(now_), Verdict::kWait);
  EXPECT_EQ(CheckWhenDue(), Verdict::kDead);
}

TEST_F(LifeSignsTest, NeverWithoutAnInterval) {
  signs_.Begin(Duration::max(), now_);
  EXPECT_EQ(signs_.next(), SteadyTime::max());
  EXPECT_EQ(signs_.Check(now_ + seconds(100000)), Verdict::kWait);
}

}  // namespace
}  // namespace hearth::http
