#include "snapshot/protocol/lease_names.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace hearth::snapshot {
namespace {

// What the API server asks of a name, as far as an id can break it.
bool IsObjectName(const std::string& name) {
  if (name.size() > 253 || name.find("..") != std::string::npos ||
      name.find(".-") != std::string::npos || name.find("-.") != std::string::npos) {
    return false;
  }
  for (const char c : name) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 || c == '_') {
      return false;
    }
  }
  return true;
}

TEST(LeaseNames, IdsThatAreNamesKeepTheLeaseThatOtherAgentsUse) {
  EXPECT_EQ(CaptureLeaseName("lark-8b"), "checkpoint-lease-lark-8b");
  EXPECT_EQ(CaptureLeaseName("lark.8b"), "checkpoint-lease-lark.8b");
}

// W11: an id with capitals or '_' made a name that no server takes, for ever.
TEST(LeaseNames, EveryIdMakesAName) {
  for (const char* id : {"Bad_ID", "UPPER", "a_b", "a..b", "a.-b", "a-.b", "0_0"}) {
    EXPECT_TRUE(IsObjectName(CaptureLeaseName(id))) << id << ": " << CaptureLeaseName(id);
    EXPECT_TRUE(IsObjectName(ArtifactLeaseName(id, "1_A"))) << id;
  }
  EXPECT_NE(CaptureLeaseName("a_b"), CaptureLeaseName("A_b"));
}

// W10: the folder is the same for all namespaces, so its lease must tell artifacts apart.
TEST(LeaseNames, ArtifactsHaveLeasesOfTheirOwn) {
  EXPECT_NE(ArtifactLeaseName("a", "1"), ArtifactLeaseName("a", "2"));
  EXPECT_NE(ArtifactLeaseName("a", "1"), ArtifactLeaseName("b", "1"));
  EXPECT_EQ(ArtifactLeaseName("a", "1"), ArtifactLeaseName("a", "1"));
}

}  // namespace
}  // namespace hearth::snapshot
