// The programs that move weights, killed at any moment and with a disk that is full: what was saved
// before stays whole, nothing half done is ever seen, no memory is lost, and the next run works.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/storage/checkpoint.h"
#include "gms/storage/verify.h"
#include "marked_weights.h"
#include "memory_server.h"

namespace hearth::gms {
namespace {

constexpr int kRounds = 40;
constexpr int kPieces = 200;  // about 7 MiB

class StorageCrashes : public testing::Test {
 protected:
  std::vector<std::string> Saver() const { return Command(GMS_SAVER_PROGRAM); }
  std::vector<std::string> Loader() const { return Command(GMS_LOADER_PROGRAM); }
  // It is the server that tells what its memory is.
  std::vector<std::string> Command(const std::string& program) const {
    return {program,        "--checkpoint-dir",  checkpoint_,  "--device", "0",
            "--socket-dir", server_.directory(), "--progress", "none"};
  }

  ProcessOutcome Run(const std::vector<std::string>& argv) {
    const SteadyTime begin = RealClock().Now();
    const auto outcome = RealProcessRunner().Run({.argv = argv}, Soon());
    EXPECT_OK(outcome);
    usual_ = RealClock().Now() - begin;
    return outcome.ok() ? *outcome : ProcessOutcome{.exit_code = -1};
  }

  // Kills it at a moment between its start and a little after its usual end. Whether it was done.
  bool KillSomewhere(const std::vector<std::string>& argv) {
    auto process = ChildProcess::Start({.argv = argv, .log_path = disk_ / "log"});
    EXPECT_OK(process);
    const Duration most = usual_ + usual_ / 4;
    const Duration moment(std::uniform_int_distribution<Duration::rep>(0, most.count())(random_));
    const SteadyTime begin = RealClock().Now();
    if (process->Wait(WaitLimit::For(RealClock(), moment)).ok()) {
      usual_ = RealClock().Now() - begin;  // the first may have been slow
    }
    static_cast<void>(process->Signal(SIGKILL));
    const auto outcome = process->Wait(Soon());
    EXPECT_OK(outcome);
    return outcome.ok() && outcome->ok();
  }

  // The writer whose weights are on disk, every byte of them; 0 and a failure when they are not
  // whole.
  uint64_t Saved() {
    const auto reader = storage::OpenDevice(checkpoint_, 0, {});
    EXPECT_OK(reader);
    if (!reader.ok() || (*reader)->artifact().metadata.empty()) {
      return 0;
    }
    storage::TransferEngine engine({.workers = 1});
    const auto report = VerifyChunks(**reader, engine, RealClock(), Soon());
    EXPECT_OK(report);
    EXPECT_TRUE(report.ok() && report->damages.empty());
    return SeedOf((*reader)->artifact().metadata.front().value);
  }

  // The writer whose weights are served, likewise.
  uint64_t Served() {
    const auto reader = server_.Connect(LeaseRequest::kRo);
    EXPECT_OK(reader);
    const auto seed = reader.ok() ? ReadMarked(**reader) : reader.status();
    EXPECT_OK(seed);
    return seed.ok() ? *seed : 0;
  }

  size_t Attempts() const {
    const std::filesystem::directory_iterator all(checkpoint_);
    return static_cast<size_t>(std::count_if(begin(all), end(all), [](const auto& entry) {
      return entry.path().extension() == ".attempt";
    }));
  }

  MemoryServer server_;
  TempDirectory disk_;
  std::string checkpoint_ = disk_ / "checkpoint";
  Duration usual_{};
  std::mt19937 random_{20261116};
};

// W-20, W-25: the old checkpoint or the new one, and no more left over than the next save removes.
TEST_F(StorageCrashes, ASaverThatIsKilledLeavesTheOldCheckpointOrTheNew) {
  server_.Publish(1, kPieces);
  ASSERT_TRUE(Run(Saver()).ok());
  uint64_t before = 1;
  int cut_short = 0;
  size_t left_over = 0;
  for (uint64_t seed = 2; seed < 2 + kRounds; ++seed) {
    SCOPED_TRACE(testing::Message() << "round " << seed);
    server_.Publish(seed, kPieces);
    // One that is killed at once has not yet cleared what the round before left.
    std::filesystem::remove(checkpoint_ + "/gms-save-complete");
    const bool done = KillSomewhere(Saver());
    ASSERT_EQ(server_.Unsettled(), std::nullopt);
    const uint64_t saved = Saved();
    ASSERT_TRUE(saved == seed || (saved == before && !done)) << saved;
    if (std::filesystem::exists(checkpoint_ + "/gms-save-complete")) {
      ASSERT_EQ(saved, seed) << "said to be complete";
    }
    ASSERT_LE(Attempts(), 1U) << "those of earlier rounds are removed";
    cut_short += done ? 0 : 1;
    left_over = std::max(left_over, Attempts());
    before = saved;
  }
  EXPECT_GT(cut_short, 0);
  EXPECT_EQ(left_over, 1U) << "none was killed while it wrote";
  ASSERT_TRUE(Run(Saver()).ok());
  EXPECT_EQ(Saved(), 1U + kRounds);
  EXPECT_EQ(Attempts(), 0U);
  RecordProperty("cut_short", cut_short);
}

// H02: nothing of it is committed, all of its memory comes back, and the checkpoint is as it was.
TEST_F(StorageCrashes, ALoaderThatIsKilledLeavesWhatWasServedOrAllOfTheNew) {
  server_.Publish(1, kPieces);
  ASSERT_TRUE(Run(Saver()).ok());
  ASSERT_TRUE(Run(Loader()).ok());
  int cut_short = 0;
  for (uint64_t seed = 2; seed < 2 + kRounds; ++seed) {
    SCOPED_TRACE(testing::Message() << "round " << seed);
    server_.Publish(seed, kPieces);
    std::filesystem::remove(checkpoint_ + "/gms-load-complete");
    const bool done = KillSomewhere(Loader());
    ASSERT_EQ(server_.Unsettled(), std::nullopt);
    const uint64_t served = Served();
    ASSERT_TRUE(served == 1 || (served == seed && !done)) << served;
    if (std::filesystem::exists(checkpoint_ + "/gms-load-complete")) {
      ASSERT_EQ(served, 1U) << "said to be complete";
    }
    ASSERT_OK(server_.CheckServing());
    cut_short += done ? 0 : 1;
  }
  EXPECT_GT(cut_short, 0);
  EXPECT_EQ(Saved(), 1U);
  ASSERT_TRUE(Run(Loader()).ok());
  EXPECT_EQ(Served(), 1U);
}

// A disk of a few megabytes of its own.
class FullDisk : public StorageCrashes {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(checkpoint_);
    if (::mount("small", checkpoint_.c_str(), "tmpfs", 0, "size=2m") != 0) {
      GTEST_SKIP() << "may not mount a small disk: " << std::strerror(errno);
    }
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) {
      EXPECT_EQ(::umount2(checkpoint_.c_str(), MNT_DETACH), 0);
    }
  }
  // All but this much.
  void Fill(uint64_t leave) {
    std::filesystem::remove(checkpoint_ + "/filler");
    const uint64_t free = std::filesystem::space(checkpoint_).available;
    std::ofstream(checkpoint_ + "/filler") << std::string(free > leave ? free - leave : 0, 'x');
  }

  bool mounted_ = false;
};

TEST_F(FullDisk, WeightsThatDoNotFitAreToldAndTheOldOnesStay) {
  server_.Publish(1);
  ASSERT_TRUE(Run(Saver()).ok());
  server_.Publish(2, kPieces);
  const ProcessOutcome outcome = Run(Saver());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.errors.find("No space left on device"), std::string::npos) << outcome.errors;
  EXPECT_EQ(Saved(), 1U);
  EXPECT_EQ(Attempts(), 0U);
  EXPECT_EQ(server_.Unsettled(), std::nullopt);
  server_.Publish(3);
  ASSERT_TRUE(Run(Saver()).ok());
  EXPECT_EQ(Saved(), 3U);
}

TEST_F(FullDisk, WhereverItGetsFullTheOldOrTheNewIsThere) {
  server_.Publish(1);
  ASSERT_TRUE(Run(Saver()).ok());
  int failed = 0;
  int succeeded = 0;
  uint64_t before = 1;
  // Shards take some 300 KiB; the small files of an artifact come after them.
  for (uint64_t leave = 0; leave < (500 << 10); leave += leave < (280 << 10) ? 40 << 10 : 4 << 10) {
    SCOPED_TRACE(testing::Message() << leave << " bytes left");
    const uint64_t seed = 2 + leave;
    server_.Publish(seed);
    Fill(leave);
    const bool done = Run(Saver()).ok();
    const uint64_t saved = Saved();
    ASSERT_TRUE(saved == seed || (saved == before && !done)) << saved;
    ASSERT_EQ(Attempts(), 0U);
    (done ? succeeded : failed) += 1;
    before = saved;
  }
  EXPECT_GT(failed, 0);
  EXPECT_GT(succeeded, 0);
  EXPECT_EQ(server_.Unsettled(), std::nullopt);
}

}  // namespace
}  // namespace hearth::gms
