#include "agent/host/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "agent/host/freezer.h"
#include "agent/host/machine.h"
#include "agent/host/phases.h"
#include "base/process_runner.h"
#include "base/publish.h"
#include "base/testing/faulty_file_system.h"
#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class JournalTest : public testing::Test {
 protected:
  std::string Freezer() {
    std::filesystem::create_directory(directory_ / "cgroup");
    std::ofstream(directory_ / "cgroup/freezer.state") << "FROZEN";
    return directory_ / "cgroup";
  }
  std::string Text(const std::string& name) {
    return RealFileSystem().Read(directory_ / name, 1 << 20).value_or("");
  }
  TempDirectory directory_;
};

TEST_F(JournalTest, AJobThatIsOverOrUnderWayIsNotUnfinished) {
  const std::string place = directory_ / "journal";
  auto journal = Journal::Begin(RealFileSystem(), place, {.container_id = "a"});
  ASSERT_OK(journal.status());
  EXPECT_THAT(RecoverUnfinished(RealFileSystem(), place)->entries, IsEmpty());
  EXPECT_THAT(*RealFileSystem().List(place), SizeIs(2));
  EXPECT_TRUE(*IsUnderWay(RealFileSystem(), place, "a"));
  EXPECT_FALSE(*IsUnderWay(RealFileSystem(), place, "b"));
  // A copy of the files is nobody's.
  std::filesystem::copy(place, directory_ / "copy");
  EXPECT_FALSE(*IsUnderWay(RealFileSystem(), directory_ / "copy", "a"));
  journal->reset();
  EXPECT_THAT(*RealFileSystem().List(place), IsEmpty());
  EXPECT_THAT(RecoverUnfinished(RealFileSystem(), directory_ / "absent")->entries, IsEmpty());
}

// A disk that is slow would keep every order waiting, for what nobody needs after a crash.
TEST_F(JournalTest, BeginningWaitsForNoDisk) {
  FaultyFileSystem files(RealFileSystem());
  ASSERT_OK(Journal::Begin(files, directory_ / "journal", {.container_id = "a"}).status());
  EXPECT_THAT(files.trace(), testing::Not(testing::Contains(testing::StartsWith("sync "))));
}

// Killed at any step of beginning, it leaves the whole entry or nothing that stays.
TEST_F(JournalTest, WhoDiesWhileBeginningLeavesAllOrNothing) {
  FaultyFileSystem counted(RealFileSystem());
  ASSERT_OK(Journal::Begin(counted, directory_ / "counted", {.container_id = "a"}).status());
  const int steps = counted.steps();
  for (int step = 0; step <= steps; ++step) {
    const std::string place = directory_ / ("at-" + std::to_string(step));
    FaultyFileSystem files(RealFileSystem());
    files.KillAt(step);
    static_cast<void>(Journal::Begin(files, place, {.container_id = "a"}));
    const auto unfinished = RecoverUnfinished(RealFileSystem(), place);
    ASSERT_OK(unfinished.status());
    EXPECT_THAT(unfinished->unreadable, IsEmpty()) << step;
    EXPECT_THAT(unfinished->failures, IsEmpty()) << step;
    EXPECT_LE(unfinished->entries.size(), 1U) << step;
    EXPECT_THAT(RealFileSystem().List(place).value_or(std::vector<std::string>()), IsEmpty())
        << step;
  }
}

TEST_F(JournalTest, WhatTheDeadHeldRunsAgain) {
  const std::string place = directory_ / "journal";
  const JournalEntry entry{.work = JournalEntry::Work::kCapture,
                           .container_id = "abc",
                           .checkpoint_id = "snap",
                           .pid = 77,
                           .freezer = Freezer()};
  {
    const auto journal = Journal::Begin(RealFileSystem(), place, entry);
    ASSERT_OK(journal.status());
    std::filesystem::copy(place, directory_ / "left");
  }
  ASSERT_OK_AND_ASSIGN(const Unfinished unfinished,
                       RecoverUnfinished(RealFileSystem(), directory_ / "left"));
  ASSERT_THAT(unfinished.entries, SizeIs(1));
  EXPECT_EQ(unfinished.entries[0].container_id, "abc");
  EXPECT_EQ(unfinished.entries[0].pid, 77);
  EXPECT_EQ(Text("cgroup/freezer.state"), "THAWED");
  EXPECT_THAT(*RealFileSystem().List(directory_ / "left"), IsEmpty());
}

// What a killed one has started may yet do harm, and is ended before anything is set right.
TEST_F(JournalTest, ProgramsOfTheDeadAreEnded) {
  const std::string place = directory_ / "journal";
  ProcessMark mark;
  {
    const auto journal = Journal::Begin(RealFileSystem(), place,
                                        {.container_id = "abc", .network_namespace = 4026532281});
    ASSERT_OK(journal.status());
    mark = (*journal)->mark();
    std::filesystem::copy(place, directory_ / "left");
  }
  auto program = ChildProcess::Start({.argv = {"sleep", "1000"}, .env = {mark}});
  ASSERT_OK(program.status());
  const auto end = [&](const JournalEntry& entry) {
    EXPECT_EQ(entry.network_namespace, 4026532281U);
    EXPECT_FALSE(program->Running());
    return Status::Ok();
  };
  ASSERT_OK_AND_ASSIGN(const Unfinished unfinished,
                       RecoverUnfinished(RealFileSystem(), directory_ / "left", end));
  EXPECT_THAT(unfinished.entries, SizeIs(1));
  EXPECT_THAT(unfinished.failures, IsEmpty());
  EXPECT_THAT(*RealFileSystem().List(directory_ / "left"), IsEmpty());
}

// A job of somebody who lives is his.
TEST_F(JournalTest, OnlyTheProgramsOfTheDeadAreLeft) {
  const std::string place = directory_ / "journal";
  const auto journal = Journal::Begin(RealFileSystem(), place, {.container_id = "abc"});
  ASSERT_OK(journal.status());
  auto program = ChildProcess::Start({.argv = {"sleep", "1000"}, .env = {(*journal)->mark()}});
  ASSERT_OK(program.status());
  const WaitLimit limit = WaitLimit::For(RealClock(), std::chrono::minutes(1));
  ASSERT_OK(EndLeftPrograms(RealFileSystem(), place, "abc", limit).status());
  EXPECT_TRUE(program->Running());
  std::filesystem::copy(place, directory_ / "left");
  ASSERT_OK(EndLeftPrograms(RealFileSystem(), directory_ / "left", "other", limit).status());
  EXPECT_TRUE(program->Running());
  ASSERT_OK(EndLeftPrograms(RealFileSystem(), directory_ / "left", "abc", limit).status());
  EXPECT_FALSE(program->Running());
}

// One that cannot be killed does not keep the container stopped, and is not forgotten.
TEST_F(JournalTest, ProgramsThatStayAreToldAndTheContainerIsLetGo) {
  const std::string place = directory_ / "journal";
  ProcessMark mark;
  {
    const auto journal =
        Journal::Begin(RealFileSystem(), place, {.container_id = "abc", .freezer = Freezer()});
    ASSERT_OK(journal.status());
    mark = (*journal)->mark();
    std::filesystem::copy(place, directory_ / "left");
  }
  const auto program = ChildProcess::Start({.argv = {"sleep", "1000"}, .env = {mark}});
  ASSERT_OK(program.status());
  // No time to see it end.
  ASSERT_OK_AND_ASSIGN(const Unfinished unfinished,
                       RecoverUnfinished(RealFileSystem(), directory_ / "left", {}, Duration(0)));
  EXPECT_EQ(Text("cgroup/freezer.state"), "THAWED");
  ASSERT_THAT(unfinished.failures, SizeIs(1));
  EXPECT_THAT(unfinished.failures[0].message(), testing::HasSubstr("abc"));
  EXPECT_THAT(*RealFileSystem().List(directory_ / "left"), SizeIs(2));
}

// Whoever could not end his programs says so, and the next to come tries again.
TEST_F(JournalTest, WhatIsLeftIsFoundByTheNext) {
  const std::string place = directory_ / "journal";
  std::optional<ChildProcess> program;
  {
    const auto journal = Journal::Begin(RealFileSystem(), place, {.container_id = "abc"});
    ASSERT_OK(journal.status());
    auto started = ChildProcess::Start({.argv = {"sleep", "1000"}, .env = {(*journal)->mark()}});
    ASSERT_OK(started.status());
    program.emplace(*std::move(started));
    (*journal)->Leave();
  }
  EXPECT_FALSE(*IsUnderWay(RealFileSystem(), place, "abc"));
  const WaitLimit limit = WaitLimit::For(RealClock(), std::chrono::minutes(1));
  ASSERT_OK_AND_ASSIGN(const bool left, EndLeftPrograms(RealFileSystem(), place, "abc", limit));
  EXPECT_TRUE(left);
  EXPECT_FALSE(program->Running());
  ASSERT_OK_AND_ASSIGN(const bool of_other, EndLeftPrograms(RealFileSystem(), place, "b", limit));
  EXPECT_FALSE(of_other);
}

// One that cannot be ended keeps neither the others nor the memory of itself.
TEST_F(JournalTest, WhatCannotBeEndedIsTriedAgain) {
  const std::string place = directory_ / "journal";
  {
    const auto first = Journal::Begin(
        RealFileSystem(), place,
        {.container_id = "stuck", .artifact_version = "3", .content_uid = "order-1"});
    const auto second =
        Journal::Begin(RealFileSystem(), place, {.container_id = "other", .freezer = Freezer()});
    ASSERT_OK(first.status());
    ASSERT_OK(second.status());
    std::filesystem::copy(place, directory_ / "left");
  }
  std::vector<std::string> ended;
  const auto end = [&](const JournalEntry& entry) {
    ended.push_back(entry.container_id + " " + entry.artifact_version + " " + entry.content_uid);
    return entry.container_id == "stuck" ? UnavailableError("nobody answers") : Status::Ok();
  };
  ASSERT_OK_AND_ASSIGN(const Unfinished unfinished,
                       RecoverUnfinished(RealFileSystem(), directory_ / "left", end));
  EXPECT_THAT(unfinished.entries, SizeIs(2));
  ASSERT_THAT(unfinished.failures, SizeIs(1));
  EXPECT_THAT(unfinished.failures[0].message(), testing::HasSubstr("stuck"));
  EXPECT_THAT(ended, testing::UnorderedElementsAre("stuck 3 order-1", "other 1 "));
  EXPECT_EQ(Text("cgroup/freezer.state"), "THAWED");
  EXPECT_THAT(*RealFileSystem().List(directory_ / "left"), SizeIs(2)) << "only that of the stuck";
  ASSERT_OK_AND_ASSIGN(const Unfinished again,
                       RecoverUnfinished(RealFileSystem(), directory_ / "left"));
  EXPECT_THAT(again.entries, SizeIs(1));
  EXPECT_THAT(*RealFileSystem().List(directory_ / "left"), IsEmpty());
}

TEST_F(JournalTest, GarbageIsToldAndRemoved) {
  std::filesystem::create_directory(directory_ / "left");
  std::ofstream(directory_ / "left/1.owner") << "";
  std::ofstream(directory_ / "left/1.json") << "[";
  std::ofstream(directory_ / "left/2.owner") << "";  // died before it wrote
  std::ofstream(directory_ / "left/3.owner") << "";  // died while it wrote
  std::ofstream(StagingName(directory_ / "left/3.json")) << "{";
  ASSERT_OK_AND_ASSIGN(const Unfinished unfinished,
                       RecoverUnfinished(RealFileSystem(), directory_ / "left"));
  EXPECT_THAT(unfinished.unreadable, SizeIs(1));
  EXPECT_THAT(*RealFileSystem().List(directory_ / "left"), IsEmpty());
}

TEST_F(JournalTest, EitherKindOfFreezerThaws) {
  EXPECT_OK(Thaw(""));
  EXPECT_OK(Thaw(directory_ / "gone"));
  std::ofstream(directory_ / "cgroup.freeze") << "1";
  EXPECT_OK(Thaw(directory_.path()));
  EXPECT_EQ(Text("cgroup.freeze"), "0");
}

TEST(Machine, TellsItsFirstProcessor) {
  Machine machine;
  ReadProcessor(
      "processor : 0\nmodel name\t: EPYC 9\nflags\t\t: sse2 avx fpu\n\nprocessor : 1\nflags : x\n",
      machine);
  EXPECT_EQ(machine.cpu_model, "EPYC 9");
  EXPECT_THAT(machine.cpu_features, ElementsAre("avx", "fpu", "sse2"));
  EXPECT_FALSE(ThisMachine().kernel.empty());
}

TEST(PhaseTimer, LeavesNoGap) {
  ManualClock clock;
  PhaseTimer timer(clock, "a");
  clock.Advance(Duration(3));
  timer.Begin("b");
  clock.Advance(Duration(4));
  const auto phases = timer.Finish();
  ASSERT_THAT(phases, SizeIs(2));
  EXPECT_EQ(phases[0].name, "a");
  EXPECT_EQ(phases[0].took + phases[1].took, Duration(7));
}

}  // namespace
}  // namespace hearth::agent
