#include "snapshot/protocol/node_names.h"

#include <gtest/gtest.h>

namespace hearth::snapshot {
namespace {

TEST(NodeNames, OrdinaryNamesStandForThemselves) {
  EXPECT_EQ(NodeLabelValue("gpu-7.example.com"), "gpu-7.example.com");
  EXPECT_EQ(NodeLabelValue(std::string(63, 'n')), std::string(63, 'n'));
  EXPECT_EQ(AgentLeaseName("gpu-7"), "snapshot-agent-gpu-7");
}

// W12: a label holds 63 characters, a node's name may have 253.
TEST(NodeNames, LongNamesFitAndStayApart) {
  const std::string one = std::string(45, 'n') + ".rack-1" + std::string(60, 'x');
  const std::string other = std::string(45, 'n') + ".rack-2" + std::string(60, 'x');
  EXPECT_LE(NodeLabelValue(one).size(), 63U);
  EXPECT_NE(NodeLabelValue(one), NodeLabelValue(other));
  EXPECT_EQ(NodeLabelValue(one), NodeLabelValue(one));
  EXPECT_EQ(NodeLabelValue(one).find(".-"), std::string::npos);
  EXPECT_LE(AgentLeaseName(std::string(253, 'n')).size(), 253U);
}

}  // namespace
}  // namespace hearth::snapshot
