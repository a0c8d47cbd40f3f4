#include "pod_factory.h"

#include <gtest/gtest.h>

#include <set>

namespace hearth::bench {
namespace {

TEST(PodFactory, NamesAreValidAndAllDifferent) {
  std::set<std::string> seen;
  for (size_t i = 0; i < 20000; ++i) {
    const std::string name = PodKey("bench", i).name;
    ASSERT_TRUE(seen.insert(name).second) << name;
    ASSERT_TRUE(kube::CheckDnsSubdomain(name).ok()) << name;
  }
}

TEST(PodFactory, AHundredPodsShareAnApp) {
  const auto app = [](size_t number) {
    return PodBody("bench", number).FindPath("metadata.labels.app")->StringOr("");
  };
  EXPECT_EQ(app(0), app(kPodsPerApp - 1));
  EXPECT_NE(app(0), app(kPodsPerApp));
}

TEST(PodFactory, ARunMakesTheSamePodsAgain) {
  EXPECT_EQ(PodBody("bench", 17), PodBody("bench", 17));
  EXPECT_EQ(PodStatusPatch(17), PodStatusPatch(17));
}

TEST(PodFactory, StampsAreAllOfOneLength) {
  EXPECT_EQ(SentPatch(1).Write().size(), SentPatch(1'800'000'000'000'000'000).Write().size());
}

}  // namespace
}  // namespace hearth::bench
