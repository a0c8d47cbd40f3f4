#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "admission/grove/claim_names.h"
#include "admission/grove/defaults.h"
#include "admission/grove/testing/rig.h"

namespace hearth::admission::grove {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

fs::path Folder() { return fs::path(HEARTH_SOURCE_DIR) / "examples" / "grove"; }

json::Value Load(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return Yaml(text.str());
}

TEST(GroveExamples, AreAdmittedWithoutAWarning) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(Folder())) {
    SCOPED_TRACE(entry.path().filename().string());
    json::Value example = Load(entry.path());
    EXPECT_THAT(AllErrors(example), IsEmpty());
    SetDefaults(example, {});
    EXPECT_THAT(Warnings(example), IsEmpty());
    ++count;
  }
  EXPECT_GE(count, 2);
}

TEST(GroveExamples, ShareTheClaimsTheySayTheyDo) {
  EXPECT_THAT(ClaimNames(Load(Folder() / "resource-sharing.yaml"), 100),
              ElementsAre("tune-all-fabric", "tune-0-pool", "tune-1-pool", "tune-0-engine-0-gpus",
                          "tune-0-engine-1-gpus", "tune-1-engine-0-gpus", "tune-1-engine-1-gpus",
                          "tune-0-cache-0-scratch", "tune-1-cache-0-scratch"));
}

}  // namespace
}  // namespace hearth::admission::grove
