#include "agent/host/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "agent/host/freezer.h"
#include "agent/host/machine.h"
#include "agent/host/phases.h"
#include "base/publish.h"
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
  std::ofstream(directory_ / "left/1.owner");
  std::ofstream(directory_ / "left/1.json") << "[";
  std::ofstream(directory_ / "left/2.owner");  // died before it wrote
  std::ofstream(directory_ / "left/3.owner");  // died while it wrote
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
