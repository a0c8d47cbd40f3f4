#include "base/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/testing/status_matchers.h"

namespace hearth {
namespace {

using Parsed = OptionTable::Parsed;
using testing::ElementsAre;

// A variable of the environment that goes with the test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

struct Settings {
  bool verbose = false;
  bool color = true;
  int64_t workers = 4;
  double share = 0.5;
  std::string listen = ":8080";
  Duration timeout = std::chrono::seconds(30);
  OptionTable::Bytes cache{64 << 20};
  std::vector<std::string> labels;
};

class OptionTableTest : public testing::Test {
 protected:
  OptionTableTest() : table_("hearth-operator", "Runs the controllers.") {
    table_.Add({.name = "workers",
                .help = "Reconcilers that run at once",
                .target = &s_.workers,
                .letter = 'w',
                .environment = "HEARTH_TEST_WORKERS",
                .check = Between(1, 256)});
    table_.Add({.name = "listen",
                .help = "Address to serve on",
                .target = &s_.listen,
                .value_name = "address"});
    table_.Add({.name = "timeout", .help = "How long a request may take", .target = &s_.timeout});
    table_.Add({.name = "cache", .help = "Memory for objects", .target = &s_.cache});
    table_.Add({.name = "share", .help = "Share of the work", .target = &s_.share});
    table_.Add({.name = "label",
                .help = "A label of the node | may be repeated",
                .target = &s_.labels,
                .letter = 'l',
                .environment = "HEARTH_TEST_LABELS"});
    table_.Add({.name = "verbose", .help = "Say more", .target = &s_.verbose, .letter = 'v'});
    table_.Add({.name = "color", .help = "Use colors", .target = &s_.color});
  }

  Result<Parsed> Parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "program");
    return table_.Parse(static_cast<int>(arguments.size()), arguments.data());
  }

  std::string Error(const std::vector<const char*>& arguments) {
    const Result<Parsed> parsed = Parse(arguments);
    EXPECT_CODE(Code::kInvalid, parsed);
    return std::string(parsed.status().message());
  }

  Settings s_;
  OptionTable table_;
};

TEST_F(OptionTableTest, KeepsDefaultsWhenNothingIsGiven) {
  ASSERT_OK_AND_ASSIGN(const Parsed parsed, Parse({}));
  EXPECT_EQ(parsed, Parsed::kRun);
  EXPECT_EQ(s_.workers, 4);
  EXPECT_EQ(s_.listen, ":8080");
  EXPECT_TRUE(s_.color);
}

TEST_F(OptionTableTest, ReadsEveryKindInBothSpellings) {
  ASSERT_OK(
      Parse({"--workers", "7", "--listen=:9", "--timeout", "1m30s", "--cache=10Mi", "--share",
             "-0.25", "--label", "a=1", "--label=b=2", "-l", "c", "--verbose", "--color=false"}));
  EXPECT_EQ(s_.workers, 7);
  EXPECT_EQ(s_.listen, ":9");
  EXPECT_EQ(s_.timeout, std::chrono::seconds(90));
  EXPECT_EQ(s_.cache.value, 10U << 20);
  EXPECT_EQ(s_.share, -0.25);
  EXPECT_THAT(s_.labels, ElementsAre("a=1", "b=2", "c"));
  EXPECT_TRUE(s_.verbose);
  EXPECT_FALSE(s_.color);
}

TEST_F(OptionTableTest, LettersAndLastOneCounts) {
  ASSERT_OK(Parse({"-w", "2", "-v", "-w3", "--verbose=false"}));
  EXPECT_EQ(s_.workers, 3);
  EXPECT_FALSE(s_.verbose);
}

TEST_F(OptionTableTest, ValuesArriveAsTheyAreGiven) {
  ASSERT_OK(Parse(
      {"--listen", "{}", "--label", "[a,b]", "--label", "", "--label=--x", "--label", "a b"}));
  EXPECT_EQ(s_.listen, "{}");
  EXPECT_THAT(s_.labels, ElementsAre("[a,b]", "", "--x", "a b"));
}

TEST_F(OptionTableTest, EmptyValueAfterEqualsDoesNotTakeTheNextArgument) {
  ASSERT_OK(Parse({"--listen=", "--verbose"}));
  EXPECT_EQ(s_.listen, "");
  EXPECT_TRUE(s_.verbose);
}

TEST_F(OptionTableTest, MisspeltNameSuggestsTheNearest) {
  EXPECT_EQ(Error({"--workrs", "4"}),
            "unknown option '--workrs'; did you mean --workers? (see --help)");
  EXPECT_EQ(Error({"--lable=x"}), "unknown option '--lable'; did you mean --label? (see --help)");
  EXPECT_EQ(Error({"--hepl"}), "unknown option '--hepl'; did you mean --help? (see --help)");
  EXPECT_EQ(Error({"--zzzzzz"}), "unknown option '--zzzzzz' (see --help)");
  EXPECT_EQ(Error({"-x"}), "unknown option '-x' (see --help)");
}

TEST_F(OptionTableTest, UnexpectedArgumentIsRefused) {
  EXPECT_EQ(Error({"--", "--workers"}), "unexpected argument '--workers' (see --help)");
  EXPECT_EQ(Error({"serve"}), "unexpected argument 'serve' (see --help)");
}

TEST_F(OptionTableTest, MissingValueNamesTheOption) {
  EXPECT_EQ(Error({"--workers"}), "a value is missing after --workers (see --help)");
  EXPECT_EQ(Error({"-l"}), "a value is missing after --label (see --help)");
}

TEST_F(OptionTableTest, BadValueNamesTheOption) {
  EXPECT_EQ(Error({"--workers", "many"}), "--workers: 'many' is not a whole number (see --help)");
  EXPECT_EQ(Error({"--workers=0"}), "--workers: '0' is not between 1 and 256 (see --help)");
  EXPECT_EQ(Error({"--workers=99999999999999999999"}),
            "--workers: '99999999999999999999' is not a whole number (see --help)");
  EXPECT_EQ(Error({"--timeout=10"}),
            "--timeout: duration '10': a unit is missing; use ns, us, ms, s, m or h (see --help)");
  EXPECT_EQ(Error({"--cache=lots"}),
            "--cache: 'lots' is not a size such as 512, 64Ki or 10Mi (see --help)");
  EXPECT_EQ(Error({"--share=nan"}), "--share: 'nan' is not a number (see --help)");
  EXPECT_EQ(Error({"--verbose=maybe"}), "--verbose: 'maybe' is not true or false (see --help)");
}

TEST_F(OptionTableTest, FailureLeavesAllTargetsAlone) {
  Error({"--listen=:9", "--label=x", "--verbose", "--timeout=1s", "--workers=0"});
  EXPECT_EQ(s_.listen, ":8080");
  EXPECT_TRUE(s_.labels.empty());
  EXPECT_FALSE(s_.verbose);
  EXPECT_EQ(s_.timeout, std::chrono::seconds(30));
  EXPECT_EQ(s_.workers, 4);
}

TEST_F(OptionTableTest, EnvironmentIsReadWhenTheOptionIsNotGiven) {
  const Variable workers("HEARTH_TEST_WORKERS", "9");
  const Variable labels("HEARTH_TEST_LABELS", "a=1,b=2");
  ASSERT_OK(Parse({}));
  EXPECT_EQ(s_.workers, 9);
  EXPECT_THAT(s_.labels, ElementsAre("a=1", "b=2"));
  ASSERT_OK(Parse({"--workers", "2"}));
  EXPECT_EQ(s_.workers, 2);
}

TEST_F(OptionTableTest, EmptyVariableCountsAsNone) {
  const Variable workers("HEARTH_TEST_WORKERS", "");
  ASSERT_OK(Parse({}));
  EXPECT_EQ(s_.workers, 4);
}

TEST_F(OptionTableTest, BadVariableIsNamed) {
  const Variable workers("HEARTH_TEST_WORKERS", "x");
  EXPECT_EQ(Error({}),
            "environment variable HEARTH_TEST_WORKERS: 'x' is not a whole number (see --help)");
}

TEST_F(OptionTableTest, HelpAndVersionWinOverMistakes) {
  EXPECT_EQ(*Parse({"--nonsense", "--help"}), Parsed::kHelp);
  EXPECT_EQ(*Parse({"-h"}), Parsed::kHelp);
  EXPECT_EQ(*Parse({"--version"}), Parsed::kVersion);
}

TEST_F(OptionTableTest, NoArgumentsAtAllIsFine) {
  EXPECT_EQ(*table_.Parse(0, nullptr), Parsed::kRun);
}

TEST_F(OptionTableTest, HelpIsMadeFromTheRows) {
  EXPECT_EQ(table_.Help(), R"(Runs the controllers.

Usage: hearth-operator [options]

Options:
  -w, --workers <number>    Reconcilers that run at once (default 4, environment HEARTH_TEST_WORKERS)
      --listen <address>    Address to serve on (default :8080)
      --timeout <duration>  How long a request may take (default 30s)
      --cache <size>        Memory for objects (default 64Mi)
      --share <number>      Share of the work (default 0.5)
  -l, --label <text>        A label of the node | may be repeated (environment HEARTH_TEST_LABELS)
  -v, --verbose             Say more
      --color               Use colors (default true)
  -h, --help                Show this text
      --version             Show the version
)");
}

TEST_F(OptionTableTest, ReferenceIsMadeFromTheRows) {
  EXPECT_EQ(table_.Reference(), R"(| Option | Value | Default | Environment | Meaning |
| --- | --- | --- | --- | --- |
| `-w, --workers` | number | `4` | `HEARTH_TEST_WORKERS` | Reconcilers that run at once |
| `--listen` | address | `:8080` | | Address to serve on |
| `--timeout` | duration | `30s` | | How long a request may take |
| `--cache` | size | `64Mi` | | Memory for objects |
| `--share` | number | `0.5` | | Share of the work |
| `-l, --label` | text | | `HEARTH_TEST_LABELS` | A label of the node \| may be repeated |
| `-v, --verbose` | | | | Say more |
| `--color` | | `true` | | Use colors |
)");
}

class PositionalTest : public testing::Test {
 protected:
  PositionalTest() : table_("hearth", "Shows objects.") {
    table_.Add({.name = "namespace",
                .help = "Where to look",
                .target = &space_,
                .letter = 'n',
                .required = true});
    table_.AddPositional({.name = "kind",
                          .help = "What to show",
                          .target = &kind_,
                          .required = true,
                          .check = OneOf({"pods", "nodes"})});
    table_.AddPositional({.name = "names", .help = "Which ones", .target = &names_});
  }

  Result<Parsed> Parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "program");
    return table_.Parse(static_cast<int>(arguments.size()), arguments.data());
  }

  std::string space_;
  std::string kind_;
  std::vector<std::string> names_;
  OptionTable table_;
};

TEST_F(PositionalTest, ArgumentsComeInOrderAmongOptions) {
  ASSERT_OK(Parse({"pods", "a", "-n", "x", "b"}));
  EXPECT_EQ(kind_, "pods");
  EXPECT_EQ(space_, "x");
  EXPECT_THAT(names_, ElementsAre("a", "b"));
}

TEST_F(PositionalTest, TwoDashesEndTheOptions) {
  ASSERT_OK(Parse({"-n", "x", "pods", "--", "--help", "-n"}));
  EXPECT_THAT(names_, ElementsAre("--help", "-n"));
}

TEST_F(PositionalTest, OptionalOnesMayBeMissing) {
  ASSERT_OK(Parse({"-n", "x", "pods"}));
  EXPECT_TRUE(names_.empty());
}

TEST_F(PositionalTest, RequiredOnesMayNot) {
  EXPECT_EQ(Parse({"-n", "x"}).status().message(), "<kind> is required (see --help)");
  EXPECT_EQ(Parse({"pods"}).status().message(), "--namespace is required (see --help)");
}

TEST_F(PositionalTest, CheckedLikeOptions) {
  EXPECT_EQ(Parse({"-n", "x", "pod"}).status().message(),
            "<kind>: 'pod' is not one of pods, nodes; did you mean pods? (see --help)");
}

TEST_F(PositionalTest, HelpAndReferenceListThem) {
  EXPECT_EQ(table_.Help(), R"(Shows objects.

Usage: hearth [options] <kind> [<names>...]

Arguments:
  <kind>        What to show (required)
  [<names>...]  Which ones

Options:
  -n, --namespace <text>  Where to look (required)
  -h, --help              Show this text
      --version           Show the version
)");
  EXPECT_THAT(table_.Reference(),
              testing::HasSubstr("| `<kind>` | text | required | | What to show |\n"));
}

TEST(OptionTableDeathTest, ContradictingRowsAreBugs) {
  std::string text;
  std::vector<std::string> list;
  OptionTable table("p", "x");
  table.Add({.name = "name", .help = "", .target = &text, .letter = 'n'});
  EXPECT_DEATH(table.Add({.name = "name", .help = "", .target = &text}), "there twice");
  EXPECT_DEATH(table.AddPositional({.name = "name", .help = "", .target = &text}), "there twice");
  EXPECT_DEATH(table.Add({.name = "other", .help = "", .target = &text, .letter = 'n'}),
               "same letter");
  EXPECT_DEATH(table.Add({.name = "help", .help = "", .target = &text}), "takes the place");
  EXPECT_DEATH(table.Add({.name = "Bad_Name", .help = "", .target = &text}), "kebab-case");
  table.AddPositional({.name = "rest", .help = "", .target = &list});
  EXPECT_DEATH(table.AddPositional({.name = "more", .help = "", .target = &text}),
               "never be reached");
}

TEST(Between, TakesBothEndsAndFractions) {
  const auto check = Between(1, 3);
  EXPECT_OK(check("1"));
  EXPECT_OK(check("3"));
  EXPECT_OK(check("2.5"));
  EXPECT_CODE(Code::kInvalid, check("3.5"));
  EXPECT_CODE(Code::kInvalid, check("0"));
  EXPECT_CODE(Code::kInvalid, check("x"));
}

TEST(OptionTableChoices, AreCheckedAndShown) {
  std::string output = "text";
  OptionTable table("hearth", "Does things.");
  table.Add({.name = "output", .help = "The form", .target = &output, .choices = {"text", "json"}});
  table.AddNotes("Exit codes:\n  0  fine\n");
  const char* const wrong[] = {"hearth", "--output", "jsno"};
  EXPECT_EQ(table.Parse(3, wrong).status().message(),
            "--output: 'jsno' is not one of text, json; did you mean json? (see --help)");
  const char* const right[] = {"hearth", "--output", "json"};
  EXPECT_OK(table.Parse(3, right));
  EXPECT_EQ(output, "json");
  EXPECT_THAT(table.Help(), testing::HasSubstr("--output <text|json>"));
  EXPECT_THAT(table.Help(), testing::EndsWith("\nExit codes:\n  0  fine\n"));
}

}  // namespace
}  // namespace hearth
