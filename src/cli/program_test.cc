#include "cli/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/completion.h"

namespace hearth::cli {
namespace {

using testing::HasSubstr;

struct Ran {
  int code;
  std::string out;
  std::string err;
};

Ran Hearth(const std::vector<std::string>& arguments) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Terminal terminal{in, out, err, RealFileSystem()};
  const int code = RunHearth(arguments, terminal);
  return {code, out.str(), err.str()};
}

TEST(Program, EveryCommandIsInTheOverviewAndHasHelp) {
  const std::string overview = Hearth({}).out;
  for (const CommandRow& row : Commands()) {
    EXPECT_THAT(overview, HasSubstr(std::string(row.name)));
    EXPECT_THAT(overview, HasSubstr(std::string(row.summary)));
    const Ran help = Hearth({"help", std::string(row.name)});
    EXPECT_EQ(help.code, kExitOk);
    EXPECT_EQ(help.out, Hearth({std::string(row.name), "--help"}).out);
    EXPECT_THAT(help.out, HasSubstr("Usage: hearth " + std::string(row.name)));
  }
}

TEST(Program, SuggestsWhatWasMeant) {
  EXPECT_EQ(Hearth({"valdate"}).err,
            "hearth: unknown command 'valdate'; did you mean validate? (see hearth --help)\n");
  EXPECT_EQ(Hearth({"xyzzy"}).err, "hearth: unknown command 'xyzzy' (see hearth --help)\n");
  EXPECT_EQ(Hearth({"validate", "--explian"}).err,
            "hearth validate: unknown option '--explian'; did you mean --explain? (see --help)\n");
  EXPECT_EQ(Hearth({"help", "valdate"}).code, kExitUsage);
  EXPECT_EQ(Hearth({"completion", "tcsh"}).code, kExitUsage);
}

TEST(Program, EveryOptionOfEveryCommandIsCompleted) {
  for (const CommandRow& row : Commands()) {
    const std::unique_ptr<Command> command = row.make();
    const OptionTable table = TableOf(row, *command);
    for (const OptionTable::Row& option : table.rows()) {
      EXPECT_THAT(BashCompletion(), HasSubstr("--" + option.name));
      EXPECT_THAT(ZshCompletion(), HasSubstr("--" + option.name));
      EXPECT_THAT(FishCompletion(), HasSubstr("-l " + option.name));
    }
  }
}

}  // namespace
}  // namespace hearth::cli
