#include "agent/cuda/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::agent::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Steps, LockAllBeforeAnyIsCheckpointed) {
  EXPECT_THAT(PlanCheckpoint({7, 8}),
              ElementsAre(ElementsAre(Step{Action::kLock, 7}, Step{Action::kLock, 8}),
                          ElementsAre(Step{Action::kCheckpoint, 7}, Step{Action::kCheckpoint, 8})));
  EXPECT_THAT(PlanCheckpoint({}), IsEmpty());
}

TEST(Steps, RestoreAllBeforeAnyRunsOn) {
  EXPECT_THAT(PlanRestore({7, 8}),
              ElementsAre(ElementsAre(Step{Action::kRestore, 7}, Step{Action::kRestore, 8}),
                          ElementsAre(Step{Action::kUnlock, 7}, Step{Action::kUnlock, 8})));
  EXPECT_THAT(PlanRestore({}), IsEmpty());
}

TEST(Steps, LeadBackFromWhereverTheyAre) {
  EXPECT_THAT(PlanRelease({{1, State::kCheckpointed},
                           {2, State::kLocked},
                           {3, State::kRunning},
                           {4, State::kFailed},
                           {5, State::kUnknown},
                           {6, State::kCheckpointed}}),
              ElementsAre(ElementsAre(Step{Action::kRestore, 6}, Step{Action::kRestore, 1}),
                          ElementsAre(Step{Action::kUnlock, 6}, Step{Action::kUnlock, 5},
                                      Step{Action::kUnlock, 2}, Step{Action::kUnlock, 1})));
  EXPECT_THAT(PlanRelease({{3, State::kRunning}}), IsEmpty());
}

TEST(Steps, HaveTheNamesOfTheProgram) {
  EXPECT_EQ(ActionName(Action::kLock), "lock");
  EXPECT_EQ(ActionName(Action::kCheckpoint), "checkpoint");
  EXPECT_EQ(ActionName(Action::kRestore), "restore");
  EXPECT_EQ(ActionName(Action::kUnlock), "unlock");
}

}  // namespace
}  // namespace hearth::agent::cuda
