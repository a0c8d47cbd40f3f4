#include "cli/hearth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace hearth::cli {
namespace {

std::string ErrorsOf(const std::vector<std::string>& arguments) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  command_line::Terminal terminal{in, out, err, RealFileSystem()};
  EXPECT_EQ(Hearth().Run(arguments, terminal), command_line::kExitUsage);
  return err.str();
}

TEST(Hearth, SuggestsWhatWasMeant) {
  EXPECT_EQ(ErrorsOf({"valdate"}),
            "hearth: unknown command 'valdate'; did you mean validate? (see hearth --help)\n");
  EXPECT_EQ(ErrorsOf({"validate", "--explian"}),
            "hearth validate: unknown option '--explian'; did you mean --explain? (see --help)\n");
}

}  // namespace
}  // namespace hearth::cli
