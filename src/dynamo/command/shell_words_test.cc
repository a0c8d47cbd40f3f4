#include "dynamo/command/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::dynamo {
namespace {

using testing::ElementsAre;

std::vector<std::vector<std::string>> Texts(std::string_view script) {
  std::vector<std::vector<std::string>> commands;
  for (const ShellCommand& command : ShellCommands(script)) {
    std::vector<std::string>& texts = commands.emplace_back();
    for (const ShellWord& word : command) {
      EXPECT_LE(word.begin, word.end);
      EXPECT_LE(word.end, script.size());
      texts.push_back(word.text);
    }
  }
  return commands;
}

TEST(ShellWordsTest, SplitsAtBlanksAndOperators) {
  EXPECT_THAT(Texts("a b|c && d;e\nf & g"),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("c"), ElementsAre("d"),
                          ElementsAre("e"), ElementsAre("f"), ElementsAre("g")));
}

TEST(ShellWordsTest, QuotesHoldTogether) {
  EXPECT_THAT(Texts(R"(a 'b; c' "d | e" f\ g)"),
              ElementsAre(ElementsAre("a", "b; c", "d | e", "f g")));
  EXPECT_THAT(Texts(R"(--x="1 2"'3')"), ElementsAre(ElementsAre("--x=1 23")));
}

TEST(ShellWordsTest, SubstitutionsStayAsTheyAre) {
  EXPECT_THAT(Texts(R"s(a $(b | c; d) ${E:-f g} `h; i` $((X + 1)) "$(j "k")" $)s"),
              ElementsAre(ElementsAre("a", "$(b | c; d)", "${E:-f g}", "`h; i`", "$((X + 1))",
                                      "$(j \"k\")", "$")));
}

TEST(ShellWordsTest, CommentsAndRedirectionsAreNoWords) {
  EXPECT_THAT(Texts("a # b c\nd >log 2>&1 <in e"),
              ElementsAre(ElementsAre("a"), ElementsAre("d", "e")));
  EXPECT_THAT(Texts("a#b"), ElementsAre(ElementsAre("a#b")));
}

TEST(ShellWordsTest, LinesGoOnAfterABackslash) {
  EXPECT_THAT(Texts("a \\\n  b"), ElementsAre(ElementsAre("a", "b")));
}

TEST(ShellWordsTest, WhatEndsEarlyIsTakenAsItIs) {
  for (const char* const script : {"'", "\"", "$(", "${", "`", "\\", "a '", ">", "$((", "$('"}) {
    Texts(script);
  }
}

TEST(ShellWordsTest, QuotedWordsComeBack) {
  for (const std::string word : {"plain", "", "two words", "it's", "$(X)", "a\nb", "\\", "\"q\""}) {
    const auto commands = ShellCommands(ShellQuoted(word));
    ASSERT_EQ(commands.size(), 1U) << word;
    EXPECT_EQ(commands[0][0].text, word);
  }
}

}  // namespace
}  // namespace hearth::dynamo
