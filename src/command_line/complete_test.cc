#include "command_line/complete.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::command_line {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// kettle pour VERB WATER... [--kind tea|coffee] [--recipe FILE] [--loud]
class Pour : public Command {
 public:
  void AddOptions(OptionTable& table) override {
    table.AddPositional(
        {.name = "verb", .help = "How", .target = &verb_, .choices = {"slow", "fast"}});
    table.AddPositional(
        {.name = "water", .help = "Which", .target = &water_, .value_name = "file"});
    table.Add({.name = "kind",
               .help = "What",
               .target = &kind_,
               .letter = 'k',
               .choices = {"tea", "coffee"}});
    table.Add({.name = "recipe", .help = "Read", .target = &recipe_, .value_name = "file"});
    table.Add({.name = "loud", .help = "Whistle", .target = &loud_});
  }
  int Run(Terminal&) override { return kExitOk; }

 private:
  std::string verb_, kind_, recipe_;
  std::vector<std::string> water_;
  bool loud_ = false;
};

Completions Of(const std::vector<std::string>& words) {
  static const Program kKettle({.name = "kettle", .purpose = "Makes tea.", .version = "1"},
                               {{"pour", "Pours.", [] { return std::make_unique<Pour>(); }}});
  return Complete(kKettle, words);
}

TEST(Complete, CommandsComeFirst) {
  EXPECT_THAT(Of({"p"}).words, ElementsAre("pour"));
  EXPECT_THAT(Of({}).words, ElementsAre("pour", "completion", "help", "--help", "--version"));
  EXPECT_THAT(Of({"swim", ""}).words, IsEmpty());
}

TEST(Complete, EachArgumentHasItsOwnWords) {
  EXPECT_THAT(Of({"pour", ""}).words, ElementsAre("slow", "fast"));
  EXPECT_THAT(Of({"pour", "-k", "tea", "--loud", "f"}).words, ElementsAre("fast"));
  EXPECT_THAT(Of({"pour", "slow", ""}).words, IsEmpty());
  EXPECT_TRUE(Of({"pour", "slow", ""}).files);
  EXPECT_TRUE(Of({"pour", "slow", "rain", ""}).files);
}

TEST(Complete, OptionsAndTheirValues) {
  EXPECT_THAT(Of({"pour", "--k"}).words, ElementsAre("--kind"));
  EXPECT_THAT(Of({"pour", "--kind", ""}).words, ElementsAre("tea", "coffee"));
  EXPECT_THAT(Of({"pour", "slow", "-k", "c"}).words, ElementsAre("coffee"));
  EXPECT_TRUE(Of({"pour", "--recipe", ""}).files);
}

TEST(Complete, AsKubectlWantsIt) {
  EXPECT_EQ(KubectlCompletions({{"tea", "coffee"}, false}), "tea\ncoffee\n:4\n");
  EXPECT_EQ(KubectlCompletions({{}, true}), ":0\n");
}

}  // namespace
}  // namespace hearth::command_line
