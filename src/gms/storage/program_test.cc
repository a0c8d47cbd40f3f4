#include "gms/storage/program.h"

#include <gtest/gtest.h>

#include "base/testing/manual_clock.h"

namespace hearth::gms::storage {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(StorageProgram, WhoHasLittleTimeForALeaseWaitsNoLongerForAServer) {
  ManualClock clock;
  EXPECT_EQ(WaitForServer(clock, milliseconds(200), {}).Remaining(clock), milliseconds(200));
  EXPECT_EQ(WaitForServer(clock, minutes(30), {}).Remaining(clock), seconds(30));
}

}  // namespace
}  // namespace hearth::gms::storage
