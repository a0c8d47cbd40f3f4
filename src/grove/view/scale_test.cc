#include "grove/view/scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "claims/testing/sample_sets.h"

namespace hearth::grove {
namespace {

using claims::WorkedExample;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string Fault(std::string_view text) {
  const auto scaling = ParseScaling(text);
  EXPECT_FALSE(scaling.ok()) << text;
  return scaling.ok() ? "" : std::string(scaling.status().message());
}

std::string Fault(const std::vector<Scaling>& scalings) {
  const auto sizes = Scaled(WorkedExample(), {}, scalings);
  EXPECT_FALSE(sizes.ok());
  return sizes.ok() ? "" : std::string(sizes.status().message());
}

TEST(Scale, IsRead) {
  const auto scaling = ParseScaling("rs-test-0-sga=3");
  ASSERT_OK(scaling);
  EXPECT_EQ(scaling->name, "rs-test-0-sga");
  EXPECT_EQ(scaling->replicas, 3);
  EXPECT_OK(ParseScaling("a=0"));
}

TEST(Scale, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(Fault("rs-test"), "'rs-test' is not of the form NAME=N");
  EXPECT_EQ(Fault("=3"), "'=3' is not of the form NAME=N");
  EXPECT_EQ(Fault("rs-test=-1"), "rs-test: there cannot be -1 replicas");
  EXPECT_EQ(Fault("rs-test="), "rs-test: '' is not a number of replicas");
  EXPECT_EQ(Fault("rs-test=2x"), "rs-test: '2x' is not a number of replicas");
  EXPECT_EQ(Fault("rs-test=+2"), "rs-test: '+2' is not a number of replicas");
  EXPECT_EQ(Fault("rs-test=2147483648"), "rs-test: 2147483648 replicas are more than 2147483647");
}

TEST(Scale, ChangesSizes) {
  const auto sizes = Scaled(WorkedExample(), {{"rs-test-0-sga", 5}, {"rs-test-0-worker-a", 4}},
                            {{"rs-test-0-sga", 1}, {"rs-test", 2}, {"rs-test-1-sga", 7}});
  ASSERT_OK(sizes);
  EXPECT_THAT(*sizes, ElementsAre(Pair("rs-test", 2), Pair("rs-test-0-sga", 1),
                                  Pair("rs-test-0-worker-a", 4), Pair("rs-test-1-sga", 7)));
}

TEST(Scale, ReachesCliquesOfGroups) {
  EXPECT_OK(Scaled(WorkedExample(), {}, {{"rs-test-0-sga-1-worker-b", 3}}));
  EXPECT_OK(Scaled(WorkedExample(), {}, {{"rs-test-0-sga-2-worker-b", 3}, {"rs-test-0-sga", 3}}));
}

TEST(Scale, SuggestsWhatWasMeant) {
  EXPECT_EQ(Fault({{"rs-tset", 2}}),
            "set rs-test has nothing called rs-tset; did you mean rs-test?");
  EXPECT_EQ(Fault({{"rs-test-0-sgb", 2}}),
            "set rs-test has nothing called rs-test-0-sgb; did you mean rs-test-0-sga?");
  EXPECT_EQ(Fault({{"something-else", 2}}), "set rs-test has nothing called something-else");
  EXPECT_EQ(Fault({{"rs-test-0-worker-b", 2}}),
            "set rs-test has nothing called rs-test-0-worker-b; did you mean rs-test-0-worker-a?");
}

TEST(Scale, NamesTheReplicasOfWhatIsScaledInEach) {
  EXPECT_EQ(Fault({{"sga", 2}}),
            "sga is scaled replica by replica, by its full name: rs-test-0-sga");
  EXPECT_EQ(Fault({{"sga", 2}, {"rs-test", 5}}),
            "sga is scaled replica by replica, by its full name: rs-test-0-sga, rs-test-1-sga, "
            "rs-test-2-sga, ...");
}

TEST(Scale, KnowsHowManyReplicasThereAre) {
  EXPECT_EQ(Fault({{"rs-test-1-sga", 2}}),
            "rs-test-1-sga would be of replica 1, and set rs-test has 1 replica, counted from 0");
  EXPECT_EQ(Fault({{"rs-test-0-sga-2-worker-b", 2}}),
            "rs-test-0-sga-2-worker-b would be of replica 2, and scaling group rs-test-0-sga has "
            "2 replicas, counted from 0");
  EXPECT_EQ(Fault({{"rs-test-0-sga", 1}, {"rs-test-0-sga", 2}}), "rs-test-0-sga is named twice");
}

TEST(Scale, WarnsBelowTheMinimum) {
  EXPECT_THAT(BelowMinimum(WorkedExample(), {{"rs-test-0-sga", 2}, {"rs-test", 0}}), IsEmpty());
  EXPECT_THAT(
      BelowMinimum(WorkedExample(), {{"rs-test-0-sga", 1}}),
      ElementsAre("rs-test-0-sga=1 is below its minAvailable of 2: it will be "
                  "MinAvailableBreached, and replica 0 of the set may be taken down after its "
                  "terminationDelay (4h0m0s)"));
}

}  // namespace
}  // namespace hearth::grove
