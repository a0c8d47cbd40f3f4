#include "agent/cuda/device_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/testing/status_matchers.h"

namespace hearth::agent::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using Uuids = std::vector<std::string>;

std::string Gpu(int number) {
  std::string digits = std::to_string(number);
  return "GPU-00000000-0000-0000-0000-" + std::string(12 - digits.size(), '0') + digits;
}

// A89: single, identity, multi, permuted identity, mismatch, empty.
TEST(DeviceMap, OneTakesThePlaceOfAnother) {
  EXPECT_THAT(*PlanDeviceMap({Gpu(1)}, {Gpu(2)}), ElementsAre(Pair(Gpu(1), Gpu(2))));
}

TEST(DeviceMap, IsEmptyWhenAllStay) {
  EXPECT_THAT(*PlanDeviceMap({Gpu(1)}, {Gpu(1)}), IsEmpty());
  EXPECT_THAT(*PlanDeviceMap({Gpu(1), Gpu(2), Gpu(3)}, {Gpu(1), Gpu(2), Gpu(3)}), IsEmpty());
}

TEST(DeviceMap, IsEmptyWhenTheSameStandInAnotherOrder) {
  EXPECT_THAT(*PlanDeviceMap({Gpu(1), Gpu(2)}, {Gpu(2), Gpu(1)}), IsEmpty());
}

TEST(DeviceMap, TheOthersPairInTheirOrder) {
  EXPECT_THAT(*PlanDeviceMap({Gpu(1), Gpu(2), Gpu(3)}, {Gpu(9), Gpu(2), Gpu(8)}),
              ElementsAre(Pair(Gpu(1), Gpu(9)), Pair(Gpu(2), Gpu(2)), Pair(Gpu(3), Gpu(8))));
}

TEST(DeviceMap, IsTheSameWithAndWithoutPrefix) {
  EXPECT_THAT(*PlanDeviceMap({Gpu(1).substr(4)}, {Gpu(1)}), IsEmpty());
}

TEST(DeviceMap, WrongCountsAreRefusedWithBothLists) {
  const Status status = PlanDeviceMap({Gpu(1), Gpu(2)}, {Gpu(3)}).status();
  EXPECT_EQ(status.code(), Code::kInvalid);
  EXPECT_THAT(status.ToString(), HasSubstr("2 GPUs"));
  EXPECT_THAT(status.ToString(), HasSubstr(Gpu(3)));
  EXPECT_THAT(PlanDeviceMap({Gpu(1)}, {}).status().ToString(), HasSubstr("(none)"));
  EXPECT_CODE(Code::kInvalid, PlanDeviceMap({}, {Gpu(1)}));
  EXPECT_CODE(Code::kInvalid, PlanDeviceMap({}, {}));
}

TEST(DeviceMap, WhatIsNoListOfGpusIsRefused) {
  EXPECT_THAT(PlanDeviceMap({"0"}, {Gpu(1)}).status().ToString(), HasSubstr("of the source"));
  EXPECT_THAT(PlanDeviceMap({Gpu(1), Gpu(2)}, {Gpu(3), Gpu(3)}).status().ToString(),
              HasSubstr("twice"));
}

// Every source of up to three GPUs against every ordered choice of as many out of five.
TEST(DeviceMap, IsAlwaysOneToOneAndKeepsWhatCanStay) {
  for (size_t count = 1; count <= 3; ++count) {
    Uuids source;
    for (size_t i = 0; i < count; ++i) {
      source.push_back(Gpu(static_cast<int>(i)));
    }
    Uuids all = {Gpu(0), Gpu(1), Gpu(2), Gpu(3), Gpu(4)};
    do {
      const Uuids target(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
      ASSERT_OK_AND_ASSIGN(const DeviceMap map, PlanDeviceMap(source, target));
      const bool same =
          std::set(source.begin(), source.end()) == std::set(target.begin(), target.end());
      ASSERT_EQ(map.empty(), same);
      std::set<std::string> used;
      for (size_t i = 0; i < map.size(); ++i) {
        EXPECT_EQ(map[i].first, source[i]);
        EXPECT_TRUE(used.insert(map[i].second).second) << "taken twice";
        EXPECT_NE(std::find(target.begin(), target.end(), map[i].second), target.end());
        if (std::find(target.begin(), target.end(), source[i]) != target.end()) {
          EXPECT_EQ(map[i].second, source[i]);
        }
      }
    } while (std::next_permutation(all.begin(), all.end()));
  }
}

TEST(DeviceMap, IsWrittenAsTheProgramTakesIt) {
  EXPECT_EQ(FormatDeviceMap({{"a", "b"}, {"c", "c"}}), "a=b,c=c");
  EXPECT_EQ(FormatDeviceMap({}), "");
}

}  // namespace
}  // namespace hearth::agent::cuda
