#include "operator_app/hearth_operator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "base/testing/status_matchers.h"
#include "operator_app/controllers.h"
#include "operator_app/options.h"

namespace hearth::operator_app {
namespace {

using testing::HasSubstr;

struct Said {
  int code = 0;
  std::string out, err;
};

Said Operate(const std::vector<std::string>& arguments) {
  std::istringstream in;
  std::ostringstream out, err;
  command_line::Terminal terminal{in, out, err, RealFileSystem()};
  const int code = HearthOperator().Run(arguments, terminal);
  return {code, out.str(), err.str()};
}

TEST(HearthOperator, TellsWhatItCanDo) {
  const Said said = Operate({"--help"});
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out, HasSubstr("crd-apply"));
  EXPECT_THAT(Operate({"run", "--help"}).out, HasSubstr("--artifact-delete-timeout"));
  EXPECT_THAT(Operate({"run", "--help"}).out, HasSubstr("snapshot  PodSnapshots"));
}

TEST(HearthOperator, RefusesWhatItDoesNotKnow) {
  const Said said = Operate({"run", "--controllers=snapshto"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("did you mean snapshot?"));
  EXPECT_EQ(Operate({"run", "--config=/does/not/exist"}).code, 2);
}

TEST(HearthOperator, CannotStartWithoutAnApiServerToAsk) {
  const Said said = Operate({"crd-apply", "--kubeconfig=/does/not/exist"});
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("/does/not/exist"));
}

TEST(OperatorOptions, DefaultsAreThoseOfAnInstallation) {
  const OperatorOptions options;
  EXPECT_TRUE(options.manager.leader_elect);
  EXPECT_EQ(options.MakeSetup("1.2.3").operator_account,
            "system:serviceaccount:hearth-system:hearth-operator");
  EXPECT_THAT(ControllerNames(), testing::Contains("snapshot"));
}

// The webhooks as `run` would set them up.
Result<admission::Setup> SetupWith(std::vector<const char*> arguments) {
  OperatorOptions options;
  OptionTable table("run", "");
  options.AddTo(table);
  arguments.insert(arguments.begin(), "run");
  RETURN_IF_ERROR(table.Parse(static_cast<int>(arguments.size()), arguments.data()));
  return options.MakeSetup("1.2.3");
}

TEST(OperatorOptions, AllThatRulesAskAboutCanBeSaid) {
  ASSERT_OK_AND_ASSIGN(
      const admission::Setup said,
      SetupWith({"--grove=false", "--topology=false", "--checkpoints=false",
                 "--gms-snapshots=false", "--checkpoint-path=/ckpt", "--scheduler=volcano",
                 "--scheduler", "default-scheduler", "--operator-namespace=op"}));
  EXPECT_FALSE(said.grove);
  EXPECT_FALSE(said.topology);
  EXPECT_FALSE(said.checkpoints);
  EXPECT_FALSE(said.gms_snapshots);
  EXPECT_EQ(said.checkpoint_path, "/ckpt");
  EXPECT_THAT(said.schedulers, testing::ElementsAre("volcano", "default-scheduler"));
  EXPECT_EQ(said.operator_version, "1.2.3");
  EXPECT_EQ(said.operator_account, "system:serviceaccount:op:hearth-operator");
}

TEST(OperatorOptions, WhatIsNotSaidIsAsOfflineValidationAssumes) {
  ASSERT_OK_AND_ASSIGN(const admission::Setup setup, SetupWith({}));
  const admission::Setup assumed;
  EXPECT_EQ(setup.grove, assumed.grove);
  EXPECT_EQ(setup.topology, assumed.topology);
  EXPECT_EQ(setup.checkpoints, assumed.checkpoints);
  EXPECT_EQ(setup.gms_snapshots, assumed.gms_snapshots);
  EXPECT_EQ(setup.checkpoint_path, assumed.checkpoint_path);
  EXPECT_EQ(setup.schedulers, assumed.schedulers);
}

// operator.md 5.4: what the chart's featureGates.gmsSnapshot sets.
TEST(OperatorOptions, TheGateOfSnapshotsWithAMemoryServiceIsAVariableToo) {
  ASSERT_EQ(setenv("DYN_OPERATOR_ALLOW_GMS_SNAPSHOT", "0", 1), 0);
  const auto closed = SetupWith({});
  ASSERT_EQ(setenv("DYN_OPERATOR_ALLOW_GMS_SNAPSHOT", "1", 1), 0);
  const auto open = SetupWith({});
  ASSERT_EQ(unsetenv("DYN_OPERATOR_ALLOW_GMS_SNAPSHOT"), 0);
  ASSERT_OK(closed);
  EXPECT_FALSE(closed->gms_snapshots);
  ASSERT_OK(open);
  EXPECT_TRUE(open->gms_snapshots);
}

TEST(OperatorOptions, SayWhoMayChangeWhatWasMadeForSets) {
  OperatorOptions options;
  OptionTable table("run", "");
  options.AddTo(table);
  const char* const arguments[] = {"run", "--operator-namespace=op", "--authorizer-exempt=jane",
                                   "--authorizer-exempt=joe"};
  ASSERT_OK(table.Parse(std::size(arguments), arguments));
  EXPECT_THAT(options.AccountsThatMayChangeSets(),
              testing::IsSupersetOf({"system:serviceaccount:op:hearth-operator",
                                     "system:serviceaccount:op:snapshot-agent", "jane", "joe",
                                     "system:serviceaccount:kube-system:generic-garbage-collector",
                                     "system:kube-controller-manager", "system:apiserver"}));
}

TEST(OperatorOptions, RefuseAStorageThatIsNowhere) {
  EXPECT_THAT(SetupWith({"--checkpoint-path=ckpt"}).status().ToString(),
              HasSubstr("must be an absolute path"));
}

}  // namespace
}  // namespace hearth::operator_app
