// Runs `hearth <command>` in every folder of tests/golden/<command> and compares what it prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "cli/hearth.h"
#include "json/parse.h"

namespace hearth::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytes = 16 << 20;

fs::path Root() { return fs::path(HEARTH_SOURCE_DIR) / "tests/golden"; }

// "<command>/<folder>"
std::vector<std::string> Cases(const std::string& command) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(Root() / command)) {
    if (entry.is_directory()) {
      names.push_back(command + "/" + entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Paths in the output are those of the case's folder.
class InFolder {
 public:
  explicit InFolder(const fs::path& folder) : before_(fs::current_path()) {
    fs::current_path(folder);
  }
  ~InFolder() { fs::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  fs::path before_;
};

std::vector<std::string> Arguments(const std::string& command) {
  std::vector<std::string> arguments = {command};
  const auto more = RealFileSystem().Read("args", kMostBytes);
  for (const std::string_view word : Split(more.ok() ? Trim(*more) : "input.yaml", ' ')) {
    arguments.emplace_back(word);
  }
  return arguments;
}

struct Output {
  std::string text;
  int code;
};

Output OutputOf(const std::vector<std::string>& arguments) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  command_line::Terminal terminal{in, out, err, RealFileSystem()};
  const int code = Hearth().Run(arguments, terminal);
  return {out.str() + err.str(), code};
}

void Compare(const std::string& path, const std::string& text) {
  if (std::getenv("HEARTH_UPDATE_GOLDEN") != nullptr) {
    ASSERT_OK(RealFileSystem().Write(path, text, 0644));
  }
  const auto expected = RealFileSystem().Read(path, kMostBytes);
  ASSERT_OK(expected);
  EXPECT_EQ(*expected, text);
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, PrintsWhatItShould) {
  const InFolder folder(Root() / GetParam());
  std::vector<std::string> arguments = Arguments(GetParam().substr(0, GetParam().find('/')));
  const Output text = OutputOf(arguments);
  Compare("output.txt", text.text + "exit code " + std::to_string(text.code) + "\n");
  if (fs::exists("output.json")) {
    arguments.insert(arguments.end(), {"-o", "json"});
    const Output json = OutputOf(arguments);
    Compare("output.json", json.text);
    EXPECT_EQ(json.code, text.code);
    EXPECT_OK(json::ParseValue(json.text));
  }
}

std::string Name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(info.param.find('/') + 1);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Validate, Golden, testing::ValuesIn(Cases("validate")), Name);
INSTANTIATE_TEST_SUITE_P(Plan, Golden, testing::ValuesIn(Cases("plan")), Name);

// What was stored has defaults that its author did not write: they are no change.
TEST(Validate, EveryExampleMayBeAppliedAgain) {
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(HEARTH_SOURCE_DIR) / "examples")) {
    if (entry.path().extension() == ".yaml") {
      const std::string path = entry.path().string();
      const Output output = OutputOf({"validate", "--against", path, path});
      EXPECT_EQ(output.code, 0) << output.text;
    }
  }
}

// What we render ourselves: sets, and what comes of them.
TEST(Validate, EveryGoldenSetAndItsObjectsAreValid) {
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(HEARTH_SOURCE_DIR) / "tests/golden/grove")) {
    if (entry.path().extension() == ".yaml") {
      const Output output = OutputOf({"validate", entry.path().string()});
      EXPECT_EQ(output.code, 0) << output.text;
    }
  }
}

}  // namespace
}  // namespace hearth::cli
