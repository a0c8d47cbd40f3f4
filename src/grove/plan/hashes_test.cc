// Group of the acceptance list: Generation hash; and taking over from another operator.
#include "grove/plan/hashes.h"

#include <gtest/gtest.h>

#include "grove/model/labels.h"
#include "grove/plan/testing/facts.h"
#include "grove/render/template_hash.h"

namespace hearth::grove {
namespace {

using Kind = HashStep::Kind;
using Aliases = std::map<std::string, std::string>;

SetFacts Example() {
  SetFacts set = MakeSet(1);
  AddClique(set, "a", 1, 1);
  AddClique(set, "b", 1, 1);
  AddGroup(set, "g", {"b"}, 2, 1);
  return set;
}

TEST(Hashes, AreThoseOfTheTemplates) {
  SetFacts set = Example();
  set.annotations[std::string(kHashAliasAnnotation)] = "x=y";
  const Hashes hashes = Hashes::Of(set);
  EXPECT_EQ(hashes.generation, GenerationHash(set));
  EXPECT_EQ(hashes.Current("b"), TemplateHash(set, *set.FindClique("b")));
  EXPECT_EQ(hashes.Current("c"), "");
  EXPECT_EQ(hashes.aliases, (Aliases{{"x", "y"}}));
}

TEST(Hashes, AnAliasCountsAndIsKept) {
  Hashes hashes = MakeHashes(Example(), 1);
  hashes.aliases = {{HashText("a", 1), "theirs"}};
  EXPECT_TRUE(hashes.IsCurrent("a", "theirs"));
  EXPECT_TRUE(hashes.IsCurrent("a", HashText("a", 1)));
  EXPECT_FALSE(hashes.IsCurrent("b", "theirs"));
  EXPECT_FALSE(hashes.IsCurrent("a", ""));
  EXPECT_FALSE(hashes.IsCurrent("c", ""));  // nothing is not the same as nothing
  EXPECT_EQ(hashes.LabelFor("a", "theirs"), "theirs");
  EXPECT_EQ(hashes.LabelFor("a", "old"), HashText("a", 1));
}

TEST(Hashes, AliasesAreWrittenAndReadBack) {
  const Aliases aliases{{"c1-a", "b"}, {"c1-c", "d"}};
  EXPECT_EQ(FormatAliases(aliases), "c1-a=b,c1-c=d");
  EXPECT_EQ(ParseAliases("c1-a=b,c1-c=d"), aliases);
  EXPECT_EQ(ParseAliases(",=,a=,=b,c,x=y,"), (Aliases{{"x", "y"}}));
}

struct StepCase {
  const char* name;
  void (*change)(SetFacts& set);
  Kind kind;
};

class PlanHashStep : public testing::TestWithParam<StepCase> {};

TEST_P(PlanHashStep, Is) {
  SetFacts set = Example();
  GetParam().change(set);
  EXPECT_EQ(PlanHash(set, MakeHashes(set, 1), {}).kind, GetParam().kind);
}

INSTANTIATE_TEST_SUITE_P(
    All, PlanHashStep,
    testing::Values(
        StepCase{"Settled", [](SetFacts&) {}, Kind::kSettled},
        StepCase{"First", [](SetFacts& set) { set.status.current_generation_hash.clear(); },
                 Kind::kFirst},
        StepCase{"Changed",
                 [](SetFacts& set) { set.status.current_generation_hash = HashText("all", 2); },
                 Kind::kChanged},
        StepCase{"TheirsAndWhole",
                 [](SetFacts& set) { set.status.current_generation_hash = "bcdf"; },
                 Kind::kTakeOver},
        StepCase{"TheirsAndNotSeenYet",
                 [](SetFacts& set) {
                   set.status.current_generation_hash = "bcdf";
                   set.id.generation = 2;
                 },
                 Kind::kChanged},
        StepCase{"TheirsAndUpdating",
                 [](SetFacts& set) {
                   BeginUpdate(set, 1, 0);
                   set.status.current_generation_hash = "bcdf";
                 },
                 Kind::kChanged},
        StepCase{"TheirsAndUpdated",
                 [](SetFacts& set) {
                   BeginUpdate(set, 1, 0);
                   set.status.update_progress->update_ended_at = TimeText(5);
                   set.status.current_generation_hash = "bcdf";
                 },
                 Kind::kTakeOver}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(PlanHash, TakingOverLearnsWhatTheOtherCalledTheTemplates) {
  SetFacts set = Example();
  set.status.current_generation_hash = "gen";
  std::vector<CliqueFacts> cliques{MakeStandalone(set, 0, "a"), MakeMember(set, 0, "g", 0, "b"),
                                   MakeMember(set, 0, "g", 1, "b")};
  cliques[0].template_hash = "ha";
  cliques[1].template_hash = "hb";
  cliques[2].template_hash = "former";  // and it never said that it is up to date
  cliques[1].status.current_set_generation_hash = "gen";
  const HashStep step = PlanHash(set, MakeHashes(set, 1), cliques);
  EXPECT_EQ(
      step.aliases,
      (Aliases{{HashText("all", 1), "gen"}, {HashText("a", 1), "ha"}, {HashText("b", 1), "hb"}}));
  // When they disagree and none is known to be right, none is.
  cliques[1].status.current_set_generation_hash.clear();
  EXPECT_FALSE(PlanHash(set, MakeHashes(set, 1), cliques).aliases.contains(HashText("b", 1)));
}

}  // namespace
}  // namespace hearth::grove
