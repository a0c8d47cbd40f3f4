// Renders the set in every folder of tests/golden/grove and compares all objects that come of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "grove/render/testing/everything.h"
#include "grove/render/testing/read.h"
#include "json/yaml.h"

namespace hearth::grove {
namespace {

namespace fs = std::filesystem;
using json::Value;

constexpr uint64_t kMostBytes = 16 << 20;

fs::path Root() { return fs::path(HEARTH_SOURCE_DIR) / "tests/golden/grove"; }

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(Root())) {
    if (entry.is_directory()) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The uid tells whose it is.
Value StoreInMind(const Value& object) {
  return WithUid(object, "uid-of-" + object.FindPath("metadata.name")->string());
}

class GroveGolden : public testing::TestWithParam<std::string> {};

TEST_P(GroveGolden, RendersWhatItShould) {
  const fs::path folder = Root() / GetParam();
  const auto input = RealFileSystem().Read(folder / "input.yaml", kMostBytes);
  ASSERT_OK(input);
  const std::string output = json::WriteYaml(RenderEverything(ReadSet(*input), StoreInMind));
  if (std::getenv("HEARTH_UPDATE_GOLDEN") != nullptr) {
    ASSERT_OK(RealFileSystem().Write(folder / "output.yaml", output, 0644));
  }
  const auto expected = RealFileSystem().Read(folder / "output.yaml", kMostBytes);
  ASSERT_OK(expected);
  EXPECT_EQ(*expected, output);
}

std::string Name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Grove, GroveGolden, testing::ValuesIn(Cases()), Name);

}  // namespace
}  // namespace hearth::grove
