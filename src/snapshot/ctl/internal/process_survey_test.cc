#include "snapshot/ctl/internal/process_survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/testing/faulty_file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "base/unique_fd.h"

namespace hearth::snapshot::ctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Lets something happen just before the n-th read of the table of unix sockets, counted from 1.
class ChangingTables : public FaultyFileSystem {
 public:
  explicit ChangingTables(std::function<void(int)> before_read)
      : FaultyFileSystem(RealFileSystem()), before_read_(std::move(before_read)) {}

  Result<std::string> Read(const std::string& path, uint64_t limit) override {
    if (path.ends_with("/net/unix")) {
      before_read_(++reads_);
    }
    return FaultyFileSystem::Read(path, limit);
  }
  int reads() const { return reads_; }

 private:
  std::function<void(int)> before_read_;
  int reads_ = 0;
};

std::vector<std::string> SocketsInNoTable(const Survey& survey) {
  std::vector<std::string> all;
  for (const SurveyedProcess& process : survey.processes) {
    for (const SurveyedDescriptor& one : process.descriptors) {
      const std::string inode = SocketInode(one.target);
      if (!inode.empty() && !survey.sockets.contains(inode)) {
        all.push_back(one.target);
      }
    }
  }
  return all;
}

// A proc file system of one process: descriptor 3 is socket 700, descriptor 7 is socket 900, and
// only socket 700 is in a table.
class ProcessSurveyTest : public testing::Test {
 protected:
  void SetUp() override {
    Write("10/status", "Name:\tengine\nState:\tS (sleeping)\nPid:\t10\nPPid:\t1\nNSpid:\t10 1\n");
    Write("10/task/10/children", "");
    std::filesystem::create_directories(proc_ / "10/fd");
    std::filesystem::create_symlink("socket:[700]", proc_ / "10/fd/3");
    std::filesystem::create_symlink("socket:[900]", Link());
    List({"700"});
  }
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path full = proc_ / path;
    std::filesystem::create_directories(full.parent_path());
    ASSERT_OK(RealFileSystem().Write(full, text, 0600));
  }
  // The table of unix sockets.
  void List(const std::vector<std::string>& inodes) {
    std::string text = "Num       RefCount Protocol Flags    Type St Inode Path\n";
    for (const std::string& inode : inodes) {
      text += "0000000000000000: 00000002 00000000 00000000 0001 03 " + inode + "\n";
    }
    Write("10/net/unix", text);
  }
  std::string Link() const { return proc_ / "10/fd/7"; }
  Survey Look(FileSystem& files) {
    auto survey = SurveyProcesses(files, proc_.path(), 10);
    EXPECT_TRUE(survey.ok()) << survey.status();
    return survey.ok() ? *std::move(survey) : Survey();
  }
  static std::vector<int> Descriptors(const Survey& survey) {
    std::vector<int> all;
    for (const SurveyedDescriptor& one : survey.processes.at(0).descriptors) {
      all.push_back(one.fd);
    }
    return all;
  }

  TempDirectory proc_;
};

TEST_F(ProcessSurveyTest, TablesAreReadOnceWhenAllSocketsAreInThem) {
  List({"700", "900"});
  ChangingTables tables([](int) {});
  const Survey survey = Look(tables);
  EXPECT_THAT(Descriptors(survey), ElementsAre(3, 7));
  EXPECT_THAT(SocketsInNoTable(survey), IsEmpty());
  EXPECT_EQ(tables.reads(), 1);
}

TEST_F(ProcessSurveyTest, ASocketClosedBeforeTheTablesAreReadIsLeftOut) {
  ChangingTables tables([&](int) { std::filesystem::remove(Link()); });
  EXPECT_THAT(Descriptors(Look(tables)), ElementsAre(3));
  EXPECT_EQ(tables.reads(), 1);
}

TEST_F(ProcessSurveyTest, ASocketWhoseDescriptorIsAnotherFileByNowIsLeftOut) {
  ChangingTables tables([&](int) {
    std::filesystem::remove(Link());
    std::filesystem::create_symlink("socket:[901]", Link());
  });
  EXPECT_THAT(Descriptors(Look(tables)), ElementsAre(3));
}

TEST_F(ProcessSurveyTest, ASocketThatATableMissedIsFoundInALaterRead) {
  for (int found = 2; found <= kMostTableReads; ++found) {
    List({"700"});
    ChangingTables tables([&](int read) {
      if (read == found) {
        List({"900"});  // and this time misses the other, which was seen before
      }
    });
    const Survey survey = Look(tables);
    EXPECT_THAT(Descriptors(survey), ElementsAre(3, 7));
    EXPECT_THAT(SocketsInNoTable(survey), IsEmpty());
    EXPECT_EQ(tables.reads(), found);
  }
}

TEST_F(ProcessSurveyTest, ASocketClosedBetweenTwoReadsIsLeftOut) {
  ChangingTables tables([&](int read) {
    if (read == kMostTableReads) {
      std::filesystem::remove(Link());
    }
  });
  EXPECT_THAT(Descriptors(Look(tables)), ElementsAre(3));
}

TEST_F(ProcessSurveyTest, AnOpenSocketInNoTableStaysAfterTheLastRead) {
  ChangingTables tables([](int) {});
  const Survey survey = Look(tables);
  EXPECT_THAT(SocketsInNoTable(survey), ElementsAre("socket:[900]"));
  EXPECT_EQ(tables.reads(), kMostTableReads);
}

using SocketPair = std::array<UniqueFd, 2>;

SocketPair MakePair() {
  std::array<int, 2> ends = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// The kernel's own tables, where about one read in sixteen misses one of the lasting sockets.
TEST(LiveProcessSurvey, SocketsThatComeAndGoDoNotHideOthers) {
  constexpr int kSurveys = 15;
  constexpr int kLasting = 200;
  constexpr int kAtOnce = 64;
  std::vector<SocketPair> lasting;
  for (int i = 0; i < kLasting; ++i) {
    lasting.push_back(MakePair());
  }
  const auto come_and_go = [](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<SocketPair> brief;
      for (int i = 0; i < kAtOnce; ++i) {
        brief.push_back(MakePair());
      }
    }
  };
  const std::array<std::jthread, 2> threads = {std::jthread(come_and_go),
                                               std::jthread(come_and_go)};
  for (int i = 0; i < kSurveys; ++i) {
    ASSERT_OK_AND_ASSIGN(const Survey survey,
                         SurveyProcesses(RealFileSystem(), "/proc", ::getpid()));
    ASSERT_THAT(SocketsInNoTable(survey), IsEmpty());
    ASSERT_GE(survey.processes.at(0).descriptors.size(), size_t{2 * kLasting});
  }
}

}  // namespace
}  // namespace hearth::snapshot::ctl
