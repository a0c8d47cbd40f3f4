#include "dynamo/command/start_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::IsEmpty;

Value Json(std::string_view text) {
  auto value = json::ParseValue(text);
  EXPECT_OK(value);
  return value.ok() ? *std::move(value) : Value();
}

TEST(StartCommandTest, FindsEnginesHoweverTheyAreStarted) {
  for (const char* const container :
       {R"({"command":["python3","-m","dynamo.vllm"]})",
        R"({"command":["python3"],"args":["-m","dynamo.vllm","--model","x"]})",
        R"({"command":["/usr/bin/python3.12","-u","-m","dynamo.vllm"]})",
        R"({"command":["/bin/sh","-c"],"args":["python3 -m dynamo.vllm --model x"]})",
        R"({"command":["sh","-c","cd /w && exec python3 -m dynamo.vllm"]})",
        R"({"args":["echo hi; python3 \\\n  -m dynamo.vllm 2>&1 | tee log"]})"}) {
    EXPECT_THAT(StartCommand::EnginesOf(Json(container)), ElementsAre("vllm")) << container;
  }
}

TEST(StartCommandTest, FindsNothingWhereNothingIsStarted) {
  for (const char* const container :
       {R"({})", R"({"command":["dynamo.vllm"]})",
        R"({"args":["python3 -m other; -m dynamo.vllm"]})",
        R"({"args":["echo 'python3 -m dynamo.vllm'"]})", R"({"args":["# python3 -m dynamo.vllm"]})",
        R"({"command":["python3","-m","dynamo.vllmx"]})"}) {
    EXPECT_THAT(StartCommand::EnginesOf(Json(container)), IsEmpty()) << container;
  }
}

TEST(StartCommandTest, FindsSeveral) {
  EXPECT_THAT(StartCommand::EnginesOf(
                  Json(R"({"args":["python3 -m dynamo.sglang & python3 -m dynamo.vllm"]})")),
              ElementsAre("vllm", "sglang"));
}

struct FlagCase {
  const char* before;
  const char* flags;
  bool expand;
  const char* after;
};

// W3
const FlagCase kFlagCases[] = {
    {R"({"command":["python3"],"args":["-m","dynamo.vllm","--model","x"]})", "--load-format gms",
     false,
     R"({"command":["python3"],"args":["-m","dynamo.vllm","--load-format","gms","--model","x"]})"},
    {R"({"command":["python3","-m","dynamo.vllm"]})", "--load-format gms", false,
     R"({"command":["python3","-m","dynamo.vllm","--load-format","gms"]})"},
    {R"({"command":["python3","-m","dynamo.vllm"],"args":["--model","x"]})", "--load-format gms",
     false,
     R"({"command":["python3","-m","dynamo.vllm"],"args":["--load-format","gms","--model","x"]})"},
    {R"({"command":["sh","-c","python3 -m dynamo.vllm --model x > log"]})", "--load-format gms",
     false,
     R"({"command":["sh","-c","python3 -m dynamo.vllm --load-format gms --model x > log"]})"},
    {R"j({"command":["python3"],"args":["-m","dynamo.vllm","--name","it's $(POD)"]})j",
     "--node-rank $((R + 1))", true,
     R"j({"command":["/bin/sh","-c"],"args":["exec python3 -m dynamo.vllm )j"
     R"j(--node-rank $((R + 1)) --name 'it'\\''s $(POD)'"]})j"},
};

TEST(StartCommandTest, FlagsStandBehindTheModule) {
  for (const FlagCase& flag_case : kFlagCases) {
    Value container = Json(flag_case.before);
    ASSERT_OK_AND_ASSIGN(auto command, StartCommand::Find(container, "vllm"));
    command.AddFlags(flag_case.flags, flag_case.expand);
    EXPECT_EQ(container.Write(), Json(flag_case.after).Write()) << flag_case.before;
  }
}

TEST(StartCommandTest, FlagsAddedTwiceStayBehindTheModule) {
  Value container = Json(R"({"args":["python3 -m dynamo.vllm --model x"]})");
  ASSERT_OK_AND_ASSIGN(auto command, StartCommand::Find(container, "vllm"));
  command.AddFlags("--a 1", false);
  command.AddFlags("--b 2", true);
  EXPECT_EQ(container.Write(), R"({"args":["python3 -m dynamo.vllm --b 2 --a 1 --model x"]})");
  EXPECT_TRUE(command.HasFlag("--a"));
}

TEST(StartCommandTest, ReadsFlags) {
  Value container =
      Json(R"({"args":["python3 -m dynamo.vllm -tp 4 --load-format=auto; true --other"]})");
  ASSERT_OK_AND_ASSIGN(const auto command, StartCommand::Find(container, "vllm"));
  EXPECT_TRUE(command.HasFlag("--load-format"));
  EXPECT_FALSE(command.HasFlag("--other"));
  EXPECT_EQ(command.FlagValue({"--tensor-parallel-size", "-tp"}), "4");
  EXPECT_EQ(command.FlagValue({"--load-format"}), "auto");
  EXPECT_EQ(command.FlagValue({"--nothing"}), std::nullopt);
}

TEST(StartCommandTest, ReplacesValues) {
  Value container = Json(R"({"args":["-m","dynamo.vllm","--master-port","29500"]})");
  container.Set("command", Value::Array({"python3"}));
  ASSERT_OK_AND_ASSIGN(auto words, StartCommand::Find(container, "vllm"));
  words.ReplaceFlag("--master-port", "29600");
  EXPECT_EQ(container.Find("args")->Write(), R"(["-m","dynamo.vllm","--master-port","29600"])");
  container = Json(R"({"args":["exec python3 -m dynamo.vllm --master-port=29500 --x"]})");
  ASSERT_OK_AND_ASSIGN(auto script, StartCommand::Find(container, "vllm"));
  script.ReplaceFlag("--master-port", "29600");
  EXPECT_EQ(container.Write(),
            R"({"args":["exec python3 -m dynamo.vllm --master-port=29600 --x"]})");
}

TEST(StartCommandTest, RunsCommandsBefore) {
  Value container = Json(R"({"command":["python3","-m","dynamo.vllm"]})");
  ASSERT_OK_AND_ASSIGN(auto command, StartCommand::Find(container, "vllm"));
  command.Prepend("ray start && ");
  command.AddFlags("--x", false);
  EXPECT_EQ(
      container.Write(),
      R"({"command":["/bin/sh","-c"],"args":["ray start && exec python3 -m dynamo.vllm --x"]})");
}

TEST(StartCommandTest, SaysWhatIsNotThere) {
  Value container = Json(R"({"name":"main","command":["start.sh"]})");
  const auto command = StartCommand::Find(container, "vllm");
  ASSERT_FALSE(command.ok());
  EXPECT_THAT(std::string(command.status().message()), testing::HasSubstr("\"main\""));
}

}  // namespace
}  // namespace hearth::dynamo
