#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "agent/criu/worker.h"
#include "base/clock.h"
#include "base/testing/status_matchers.h"
#include "base/wait_limit.h"

namespace hearth::node {

// A test with a real CRIU. Whoever overrides SetUp calls this one and goes no further when
// IsSkipped.
class NodeTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* const place = std::getenv("HEARTH_CRIU");
    if (::geteuid() != 0 || place == nullptr) {
      GTEST_SKIP() << "needs root and HEARTH_CRIU, the directory that tools/criu prints";
    }
    bundle_ = place;
    ASSERT_OK_AND_ASSIGN(program_, agent::criu::FindProgram(bundle_));
  }
  WaitLimit Enough() { return WaitLimit::For(RealClock(), std::chrono::minutes(2)); }

  std::string bundle_;  // the directory of CRIU
  agent::criu::Program program_;
};

}  // namespace hearth::node
