#include "gms/loader/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/client/session.h"
#include "gms/saver/save.h"
#include "gms/saver/testing/memory_service.h"

namespace hearth::gms::loader {
namespace {

using saver::MemoryService;
using saver::Weights;
using testing::HasSubstr;

class LoaderProgramTest : public testing::Test {
 protected:
  void Save(const std::vector<std::string>& roots = {}) {
    MemoryService source;
    ASSERT_OK(source.Commit(0, Weights::Sample(4)));
    saver::SaveGauge gauge;
    ASSERT_OK(saver::SaveCheckpoint(source.Devices(), {.directory = temp_ / "c", .roots = roots},
                                    RealFileSystem(), RealClock(), Logger::Null(), gauge,
                                    WaitLimit::Forever()));
  }
  int Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"gms-loader", "--checkpoint-dir", temp_ / "c", "--socket-dir", sockets_});
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) {
      argv.push_back(argument.c_str());
    }
    return RunLoader(static_cast<int>(argv.size()), argv.data(),
                     {out_, err_, disk::ProgressStyle::kJsonLines}, stop_.get_token());
  }

  TempDirectory temp_;
  MemoryService service_;
  std::string sockets_ = service_.directory();
  std::ostringstream out_;
  std::ostringstream err_;
  std::stop_source stop_;
};

// W-53: it ends when it is done.
TEST_F(LoaderProgramTest, LoadsCommitsSaysSoAndEnds) {
  Save();
  ASSERT_EQ(Run({"--pod-uid", "p"}), 0) << err_.str();
  EXPECT_EQ(*RealFileSystem().Read(temp_ / "c/gms-load-complete-p", 10), "ok\n");
  EXPECT_THAT(out_.str(), HasSubstr(R"("phase":"load")"));
  ASSERT_OK_AND_ASSIGN(const Weights loaded, service_.Read(0));
  EXPECT_TRUE(loaded == Weights::Sample(4));
}

// The server and its loader are started at the same time.
TEST_F(LoaderProgramTest, WaitsForAServerThatIsNotThereYet) {
  Save();
  sockets_ = temp_ / "sockets";
  const std::string complete = temp_ / "c/gms-load-complete";
  ASSERT_OK(RealFileSystem().Write(complete, "ok\n", 0644));
  int code = -1;
  {
    const std::jthread program([&] { code = Run({}); });
    while (std::filesystem::exists(complete)) {  // the last thing before it looks for the server
      std::this_thread::yield();
    }
    std::filesystem::create_directory_symlink(service_.directory(), sockets_);
    const auto reader = Session::Connect({.socket = service_.Socket(0),
                                          .client = "test",
                                          .admission_timeout = std::chrono::seconds(60)});
    EXPECT_OK(reader);
  }
  EXPECT_EQ(code, 0) << err_.str();
}

// One server for each device; the second one comes later.
TEST_F(LoaderProgramTest, WaitsForTheServersOfAllDevicesOfTheCheckpoint) {
  {
    MemoryService source(2);
    ASSERT_OK(source.Commit(0, Weights::Sample(4)));
    ASSERT_OK(source.Commit(1, Weights::Sample(5)));
    saver::SaveGauge gauge;
    ASSERT_OK(saver::SaveCheckpoint(source.Devices(), {.directory = temp_ / "c"}, RealFileSystem(),
                                    RealClock(), Logger::Null(), gauge, WaitLimit::Forever()));
  }
  MemoryService second(2);
  const std::string complete = temp_ / "c/gms-load-complete";
  ASSERT_OK(RealFileSystem().Write(complete, "ok\n", 0644));
  int code = -1;
  {
    const std::jthread program([&] { code = Run({}); });
    while (std::filesystem::exists(complete)) {  // the last thing before it looks for servers
      std::this_thread::yield();
    }
    std::filesystem::create_symlink(second.Socket(1), service_.directory() + "/gms_1_weights.sock");
    EXPECT_OK(Session::Connect({.socket = second.Socket(1),
                                .client = "test",
                                .admission_timeout = std::chrono::seconds(60)}));
  }
  EXPECT_EQ(code, 0) << err_.str();
  ASSERT_OK_AND_ASSIGN(const Weights loaded, second.Read(1));
  EXPECT_TRUE(loaded == Weights::Sample(5));
  std::filesystem::remove(service_.directory() + "/gms_1_weights.sock");
}

TEST_F(LoaderProgramTest, ADeviceOfTheCheckpointThatNobodyServesIsNamed) {
  MemoryService source(2);
  ASSERT_OK(source.Commit(0, Weights::Sample(4)));
  ASSERT_OK(source.Commit(1, Weights::Sample(5)));
  saver::SaveGauge gauge;
  ASSERT_OK(saver::SaveCheckpoint(source.Devices(), {.directory = temp_ / "c"}, RealFileSystem(),
                                  RealClock(), Logger::Null(), gauge, WaitLimit::Forever()));
  EXPECT_EQ(Run({"--load-lock-timeout-ms", "1"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("device 1 is expected"));
}

TEST_F(LoaderProgramTest, LingersUntilToldToStop) {
  Save();
  int code = -1;
  {
    const std::jthread program([&] { code = Run({"--linger"}); });
    // Committed weights are what a reader waits for; then the program only lingers.
    const auto reader = Session::Connect({.socket = service_.Socket(0), .client = "test"});
    EXPECT_OK(reader);
    stop_.request_stop();
  }
  EXPECT_EQ(code, 0) << err_.str();
}

TEST_F(LoaderProgramTest, ShardsOnOtherDisksNeedTheirRoots) {
  Save({temp_ / "ssd"});
  EXPECT_EQ(Run({}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("--sharded-ssd-roots"));
  EXPECT_EQ(Run({"--transfer-backend", "sharded-ssd", "--sharded-ssd-roots", temp_ / "ssd",
                 "--sharded-ssd-queues-per-root", "2", "--max-workers", "16"}),
            0)
      << err_.str();
}

TEST_F(LoaderProgramTest, NoCheckpointIsAFailureAndLeavesNoCompletionFile) {
  ASSERT_OK(RealFileSystem().MakeDirectories(temp_ / "c", 0755));
  ASSERT_OK(RealFileSystem().Write(temp_ / "c/gms-load-complete-p", "ok\n", 0644));
  EXPECT_EQ(Run({"--pod-uid", "p"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("missing=[0]"));
  EXPECT_FALSE(std::filesystem::exists(temp_ / "c/gms-load-complete-p"));
}

TEST_F(LoaderProgramTest, UsageErrorsAreTwo) {
  EXPECT_EQ(Run({"--sharded-ssd-queues-per-root", "0"}), 2);
  EXPECT_EQ(Run({"--transfer-backend", "magic"}), 2);
}

}  // namespace
}  // namespace hearth::gms::loader
