#include "agent/criu/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "base/strings.h"

namespace hearth::agent::criu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// tests/corpus/criu_log/lines.tsv: what is expected, and a line as CRIU prints it.
std::vector<std::pair<std::string, std::string>> Samples() {
  std::ifstream file(std::string(HEARTH_SOURCE_DIR) + "/tests/corpus/criu_log/lines.tsv");
  std::vector<std::pair<std::string, std::string>> samples;
  for (std::string line; std::getline(file, line);) {
    const size_t tab = line.find('\t');
    if (tab != std::string::npos) {
      samples.emplace_back(line.substr(0, tab), line.substr(tab + 1));
    }
  }
  return samples;
}

TEST(ExplainLog, KnowsTheFailuresThatPeopleMeet) {
  const auto samples = Samples();
  EXPECT_GE(samples.size(), 40U);
  for (const auto& [reason, line] : samples) {
    const Failure failure = ExplainLog("(00.000100) a good line\n" + line + "\n");
    EXPECT_EQ(failure.reason, reason) << line;
    EXPECT_EQ(failure.cause.find('{'), std::string::npos) << failure.cause;
    EXPECT_FALSE(failure.fix.empty()) << line;
  }
}

TEST(ExplainLog, HasASampleForEveryRule) {
  std::set<std::string> shown;
  for (const auto& [reason, line] : Samples()) {
    shown.insert(reason);
  }
  std::set<std::string_view> reasons;
  for (const FailureRule& rule : FailureRules()) {
    EXPECT_TRUE(shown.contains(std::string(rule.reason))) << rule.reason;
    EXPECT_TRUE(reasons.insert(rule.reason).second) << rule.reason << " is there twice";
  }
}

TEST(ExplainLog, TellsWhatIsOverByNow) {
  EXPECT_TRUE(IsMomentary(
      ExplainLog("(00.01) Error (criu/sk-unix.c:351): unix: Unix socket 12 not found\n")));
  EXPECT_FALSE(IsMomentary(ExplainLog("(00.01) Error (x.c:1): No space left on device\n")));
  EXPECT_FALSE(IsMomentary(ExplainLog("")));
  for (const FailureRule& rule : FailureRules()) {
    const Failure failure{.reason = std::string(rule.reason)};
    EXPECT_TRUE(rule.retryable || !IsMomentary(failure)) << rule.reason;
  }
}

TEST(ExplainLog, NamesWhatTheLineNames) {
  const Failure failure = ExplainLog(
      "(00.01) Error (criu/files-reg.c:2175): File /opt/model.so has bad size 7 (expect 9)\n");
  EXPECT_EQ(failure.cause,
            "file /opt/model.so has 7 bytes here and had 9 when the process was captured");
  EXPECT_EQ(failure.certainty, Certainty::kCertain);
  EXPECT_FALSE(failure.retryable);
  EXPECT_THAT(Describe(failure), HasSubstr("[FileSizeDiffers, certain; CRIU: File /opt/model.so"));
}

TEST(ExplainLog, PassesOverWhatGoodRunsPrintToo) {
  const Failure failure = ExplainLog(
      "(00.051230) Error (criu/util.c:1534): rlimit: Can't setup RLIMIT_NOFILE for self: Operation "
      "not permitted\n"
      "(00.051928) Error (criu/cr-restore.c:1237): Can't fork for 22979: File exists\n"
      "(00.051950) Error (criu/cr-restore.c:2331): Restoring FAILED.\n");
  EXPECT_EQ(failure.reason, "PidTaken");
  EXPECT_EQ(failure.cause, "pid 22979 is taken where the process is restored");
}

TEST(ExplainLog, TakesTheFirstErrorThatItKnows) {
  const Failure failure = ExplainLog(
      "Error (criu/x.c:1): something new\n"
      "Error (criu/image.c:845): Can't write img file: No space left on device\n"
      "Error (criu/y.c:1): Connected TCP socket, consider using --tcp-established option.\n");
  EXPECT_EQ(failure.reason, "StorageFull");
  EXPECT_TRUE(failure.retryable);
}

TEST(ExplainLog, SaysWhenItDoesNotKnow) {
  const Failure failure = ExplainLog("(00.1) Error (criu/x.c:1): something new\n");
  EXPECT_EQ(failure.reason, "Unexplained");
  EXPECT_EQ(failure.certainty, Certainty::kUnknown);
  EXPECT_EQ(failure.cause, "CRIU failed: something new");
  const Failure silent = ExplainLog("(00.1) all is well\n");
  EXPECT_EQ(silent.reason, "Unexplained");
  EXPECT_THAT(silent.cause, HasSubstr("no error"));
  EXPECT_EQ(ExplainLog("").reason, "Unexplained");
}

TEST(ExplainLog, ReadsAnyBytes) {
  EXPECT_EQ(ExplainLog(std::string("\xff\xfe\0Error (\n", 12)).reason, "Unexplained");
  const Failure failure = ExplainLog("Error (a:1): " + std::string(100'000, 'x'));
  EXPECT_LT(failure.line.size(), 400U);
}

TEST(ErrorLines, AreToldOnceAndNotForEver) {
  EXPECT_THAT(ErrorLines("Error (a:1): x\nError (b:2): x\nError (c:3): y\nError (d:4): z\n", 2),
              ElementsAre("x", "y"));
  EXPECT_THAT(ErrorLines("Warn  (a:1): x\n", 5), IsEmpty());
}

}  // namespace
}  // namespace hearth::agent::criu
