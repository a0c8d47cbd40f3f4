#include "gms/failover/shadow_sequence.h"

#include <gtest/gtest.h>

#include <set>

#include "base/testing/status_matchers.h"

namespace hearth::gms {
namespace {

constexpr EngineEvent kEvents[] = {EngineEvent::kPaused, EngineEvent::kLockAcquired,
                                   EngineEvent::kServing};

TEST(ShadowSequence, GoesFromInitToActive) {
  ShadowSequence engine;
  std::string path(EngineStateName(engine.state()));
  for (EngineEvent event : kEvents) {
    ASSERT_OK_AND_ASSIGN(EngineState state, engine.On(event));
    path += " " + std::string(EngineStateName(state));
  }
  EXPECT_EQ(path, "init standby waking active");
}

// Every state and every event: what the table has happens, nothing else does.
TEST(ShadowSequence, WhatIsNotInTheTableChangesNothing) {
  for (int reached = 0; reached < 4; ++reached) {
    for (EngineEvent event : kEvents) {
      ShadowSequence engine;
      for (int i = 0; i < reached; ++i) {
        ASSERT_OK(engine.On(kEvents[i]));
      }
      EngineState before = engine.state();
      bool listed = false;
      for (const EngineTransition& transition : EngineTransitions()) {
        listed |= transition.from == before && transition.event == event;
      }
      EXPECT_EQ(engine.On(event).ok(), listed);
      EXPECT_EQ(engine.state() == before, !listed);
    }
  }
}

TEST(EngineStateName, IsReadAsItIsWritten) {
  std::set<std::string_view> names;
  for (auto state :
       {EngineState::kInit, EngineState::kStandby, EngineState::kWaking, EngineState::kActive}) {
    EXPECT_EQ(ParseEngineState(EngineStateName(state)), state);
    names.insert(EngineStateName(state));
  }
  EXPECT_EQ(names.size(), 4U);
  EXPECT_EQ(ParseEngineState("sleeping"), std::nullopt);
}

}  // namespace
}  // namespace hearth::gms
