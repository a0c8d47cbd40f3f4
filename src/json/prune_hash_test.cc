// What Pruner::Output::hash sees and what it does not.
#include <gtest/gtest.h>

#include <initializer_list>

#include "json/prune.h"

namespace hearth::json {
namespace {

using Mark = FieldSet::Mark;

struct Rule {
  std::string_view path;
  Mark mark = Mark::kKept;
};

FieldSet With(FieldSet fields, std::initializer_list<Rule> rules) {
  for (const Rule& rule : rules) {
    const Status added = fields.Add(rule.path, rule.mark);
    EXPECT_TRUE(added.ok()) << added.ToString();
  }
  return fields;
}

FieldSet Only(std::initializer_list<Rule> rules) { return With(FieldSet(), rules); }

uint64_t HashOf(const FieldSet& fields, std::string_view text) {
  Pruner pruner(fields);
  const auto output = pruner.Prune(text);
  EXPECT_TRUE(output.ok()) << output.status().ToString();
  return output.ok() ? output->hash : 0;
}

std::string JsonOf(const FieldSet& fields, std::string_view text) {
  Pruner pruner(fields);
  const auto output = pruner.Prune(text);
  return output.ok() ? std::string(output->json) : output.status().ToString();
}

TEST(PrunerHash, ChangesWithWhatIsKeptOnly) {
  const FieldSet fields = Only({{"spec.a"}});
  const uint64_t hash = HashOf(fields, R"({"spec":{"a":1,"b":1}})");
  EXPECT_EQ(hash, HashOf(fields, R"({"spec":{"a":1,"b":2},"status":{"x":3}})"));
  EXPECT_EQ(hash, HashOf(fields, "{ \"spec\" : { \"b\":2, \"a\" : 1 } }\n"));
  EXPECT_NE(hash, HashOf(fields, R"({"spec":{"a":2,"b":1}})"));
  EXPECT_NE(hash, HashOf(fields, R"({"spec":{"b":1}})"));
}

TEST(PrunerHash, ChangesWhenAValueMovesToAnotherField) {
  const FieldSet fields = Only({{"a"}, {"b"}, {"c.a"}, {"l[].x"}});
  EXPECT_NE(HashOf(fields, R"({"a":1})"), HashOf(fields, R"({"b":1})"));
  EXPECT_NE(HashOf(fields, R"({"a":1})"), HashOf(fields, R"({"c":{"a":1}})"));
  EXPECT_NE(HashOf(fields, R"({"l":[{"x":1},{}]})"), HashOf(fields, R"({"l":[{},{"x":1}]})"));
  EXPECT_NE(HashOf(fields, R"({"a":[1,2]})"), HashOf(fields, R"({"a":[12]})"));
}

TEST(PrunerHash, ASilentFieldIsKeptButDoesNotCount) {
  const FieldSet fields = Only({{"spec.a"}, {"spec.s", Mark::kSilent}});
  const std::string_view with = R"({"spec":{"a":1,"s":{"x":[1]}}})";
  EXPECT_EQ(JsonOf(fields, with), with);
  const uint64_t hash = HashOf(fields, with);
  EXPECT_EQ(hash, HashOf(fields, R"({"spec":{"a":1,"s":{"x":[2]}}})"));
  EXPECT_EQ(hash, HashOf(fields, R"({"spec":{"a":1}})"));
  EXPECT_NE(hash, HashOf(fields, R"({"spec":{"a":2,"s":{"x":[1]}}})"));
}

// The commas around silent members must not show.
TEST(PrunerHash, TheSameWhereverSilentMembersStand) {
  const FieldSet fields =
      Only({{"a"}, {"b"}, {"s", Mark::kSilent}, {"t", Mark::kSilent}, {"u", Mark::kSilent}});
  const uint64_t none = HashOf(fields, R"({"a":1,"b":2})");
  for (const char* text :
       {R"({"s":1,"a":1,"b":2})", R"({"a":1,"s":1,"b":2})", R"({"a":1,"b":2,"s":1})",
        R"({"s":1,"t":2,"a":1,"b":2})", R"({"s":1,"a":1,"t":2,"b":2,"u":3})",
        R"({"a":1,"s":1,"t":2,"u":3,"b":2})", R"({"s":1,"t":2,"u":3,"a":1,"b":2})"}) {
    EXPECT_EQ(HashOf(fields, text), none) << text;
    EXPECT_EQ(JsonOf(fields, text), text);
  }
  const uint64_t empty = HashOf(fields, "{}");
  EXPECT_EQ(HashOf(fields, R"({"s":1,"t":2})"), empty);
  EXPECT_NE(empty, none);
}

TEST(PrunerHash, AFieldBelowASilentOneMayCount) {
  const FieldSet fields = Only({{"status", Mark::kSilent}, {"status.phase"}});
  const uint64_t hash = HashOf(fields, R"({"status":{"x":1,"phase":"A"}})");
  EXPECT_EQ(hash, HashOf(fields, R"({"status":{"x":2,"phase":"A"}})"));
  EXPECT_NE(hash, HashOf(fields, R"({"status":{"x":1,"phase":"B"}})"));
}

TEST(PrunerHash, ASilentFieldBelowAKeptOneDoesNotCount) {
  const FieldSet fields = Only({{"status"}, {"status.conditions[].lastProbeTime", Mark::kSilent}});
  const std::string_view text =
      R"({"status":{"conditions":[{"type":"A","lastProbeTime":1},{"lastProbeTime":2,"type":"B"}]}})";
  EXPECT_EQ(JsonOf(fields, text), text);
  EXPECT_EQ(
      HashOf(fields, text),
      HashOf(
          fields,
          R"({"status":{"conditions":[{"type":"A","lastProbeTime":3},{"lastProbeTime":4,"type":"B"}]}})"));
  EXPECT_NE(
      HashOf(fields, text),
      HashOf(
          fields,
          R"({"status":{"conditions":[{"type":"C","lastProbeTime":1},{"lastProbeTime":2,"type":"B"}]}})"));
}

TEST(PrunerHash, TheWayToSilentFieldsAloneDoesNotCount) {
  const FieldSet fields = Only({{"spec.a"}, {"status.ready", Mark::kSilent}});
  const uint64_t hash = HashOf(fields, R"({"spec":{"a":1}})");
  EXPECT_EQ(hash, HashOf(fields, R"({"spec":{"a":1},"status":{}})"));
  EXPECT_EQ(hash, HashOf(fields, R"({"status":{"ready":1},"spec":{"a":1}})"));
}

TEST(PrunerHash, BookkeepingOfTheServerNeverCounts) {
  const FieldSet everything = FieldSet::Everything();
  const FieldSet named = Only({{"metadata.resourceVersion"},
                               {"metadata.generation"},
                               {"metadata.managedFields"},
                               {"metadata.managedFields[].manager"},
                               {"metadata.name"}});
  const std::string_view before =
      R"({"metadata":{"resourceVersion":"1","name":"n","generation":1,"managedFields":[{"manager":"a"}]}})";
  const std::string_view after =
      R"({"metadata":{"resourceVersion":"2","name":"n","generation":2,"managedFields":[{"manager":"b"}]}})";
  EXPECT_EQ(HashOf(everything, before), HashOf(everything, after));
  EXPECT_EQ(HashOf(named, before), HashOf(named, after));
  EXPECT_EQ(JsonOf(everything, after), after);
  EXPECT_EQ(JsonOf(named, after), after);
  EXPECT_EQ(HashOf(everything, before), HashOf(everything, R"({"metadata":{"name":"n"}})"));
  EXPECT_NE(HashOf(everything, before), HashOf(everything, R"({"metadata":{"name":"m"}})"));
}

TEST(PrunerHash, TheSameNamesElsewhereCount) {
  const FieldSet everything = FieldSet::Everything();
  EXPECT_NE(HashOf(everything, R"({"spec":{"generation":1}})"),
            HashOf(everything, R"({"spec":{"generation":2}})"));
  EXPECT_NE(HashOf(everything, R"({"spec":{"metadata":{"resourceVersion":"1"}}})"),
            HashOf(everything, R"({"spec":{"metadata":{"resourceVersion":"2"}}})"));
}

}  // namespace
}  // namespace hearth::json
