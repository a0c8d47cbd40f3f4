#include "command_line/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "command_line/completion.h"

namespace hearth::command_line {
namespace {

using testing::HasSubstr;
using testing::Not;

// kettle boil FILE [--degrees N] [--kind tea|coffee] [--loud]
class Boil : public Command {
 public:
  void AddOptions(OptionTable& table) override {
    table.Add({.name = "degrees", .help = "How hot", .target = &degrees_, .letter = 'd'});
    table.Add(
        {.name = "kind", .help = "What it's for", .target = &kind_, .choices = {"tea", "coffee"}});
    table.Add({.name = "loud", .help = "Whistle", .target = &loud_});
    table.AddPositional(
        {.name = "water", .help = "Which", .target = &water_, .value_name = "file"});
  }
  int Run(Terminal& terminal) override {
    terminal.out << water_ << " at " << degrees_ << "\n";
    return loud_ ? 1 : kExitOk;
  }

 private:
  int64_t degrees_ = 100;
  std::string kind_, water_;
  bool loud_ = false;
};

const Program& Kettle() {
  static const Program kKettle({.name = "kettle", .purpose = "Makes water hot.", .version = "7.1"},
                               {{"boil", "Boils some.", [] { return std::make_unique<Boil>(); }}});
  return kKettle;
}

struct Ran {
  int code;
  std::string out;
  std::string err;
};

Ran RunKettle(const std::vector<std::string>& arguments) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Terminal terminal{in, out, err, RealFileSystem()};
  const int code = Kettle().Run(arguments, terminal);
  return {code, out.str(), err.str()};
}

TEST(Program, RunsTheCommandWithItsOptions) {
  const Ran ran = RunKettle({"boil", "rain", "-d", "90", "--loud"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "rain at 90\n");
  EXPECT_EQ(RunKettle({"--version"}).out, "kettle 7.1\n");
  EXPECT_EQ(RunKettle({"boil", "--version"}).out, "kettle 7.1\n");
}

TEST(Program, TheOverviewIsMadeFromTheTable) {
  EXPECT_EQ(RunKettle({}).out,
            "Makes water hot.\n\nUsage: kettle <command> [options]\n\nCommands:\n"
            "  boil        Boils some.\n"
            "  completion  Prints a script that teaches a shell to complete this program.\n"
            "  help        Shows what a command does and takes.\n\n"
            "Options:\n  -h, --help     Show this text\n      --version  Show the version\n\n"
            "kettle help <command> says more about one.\n");
}

TEST(Program, EveryCommandHasHelp) {
  for (const CommandRow& row : Kettle().commands()) {
    const Ran help = RunKettle({"help", std::string(row.name)});
    EXPECT_EQ(help.code, kExitOk);
    EXPECT_EQ(help.out, RunKettle({std::string(row.name), "--help"}).out);
    EXPECT_THAT(help.out, HasSubstr("Usage: kettle " + std::string(row.name)));
  }
}

TEST(Program, SuggestsWhatWasMeant) {
  EXPECT_EQ(RunKettle({"biol"}).err,
            "kettle: unknown command 'biol'; did you mean boil? (see kettle --help)\n");
  EXPECT_EQ(RunKettle({"xyzzy"}).err, "kettle: unknown command 'xyzzy' (see kettle --help)\n");
  EXPECT_EQ(RunKettle({"boil", "--lod"}).err,
            "kettle boil: unknown option '--lod'; did you mean --loud? (see --help)\n");
  EXPECT_EQ(RunKettle({"help", "bil"}).code, kExitUsage);
  EXPECT_EQ(RunKettle({"completion", "tcsh"}).code, kExitUsage);
}

TEST(Program, EveryOptionOfEveryCommandIsCompleted) {
  for (const CommandRow& row : Kettle().commands()) {
    const std::unique_ptr<Command> command = row.make();
    const OptionTable table = Kettle().TableOf(row, *command);
    for (const OptionTable::Row& option : table.rows()) {
      EXPECT_THAT(BashCompletion(Kettle()), HasSubstr("--" + option.name));
      EXPECT_THAT(ZshCompletion(Kettle()), HasSubstr("--" + option.name));
      EXPECT_THAT(FishCompletion(Kettle()), HasSubstr("-l " + option.name));
    }
  }
}

TEST(Program, TheScriptsAreOfThisProgram) {
  EXPECT_THAT(BashCompletion(Kettle()), HasSubstr("complete -o bashdefault -F _kettle kettle\n"));
  EXPECT_THAT(ZshCompletion(Kettle()), HasSubstr("compdef _kettle kettle\n"));
  EXPECT_THAT(FishCompletion(Kettle()), HasSubstr("complete -c kettle -f\n"));
  EXPECT_THAT(BashCompletion(Kettle()), Not(HasSubstr("@")));
}

}  // namespace
}  // namespace hearth::command_line
