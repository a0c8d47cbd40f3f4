// What comes back with CUDA, as far as it can be told without a device: the processes are looked up
// by a /proc that the test writes, and the driver keeps a list.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/restore/restore.h"
#include "agent/work/testing/held_containers.h"
#include "base/testing/status_matchers.h"
#include "snapshot/artifact/testing/sample_artifact.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// No process of these numbers is on any machine: the kernel ends at four million.
constexpr int kFirst = 5'000'001;
constexpr int kEngine = 5'000'002;
constexpr const char* kGpu1 = "GPU-00000000-0000-0000-0000-000000000001";
constexpr const char* kGpu2 = "GPU-00000000-0000-0000-0000-000000000002";

class ListingDriver : public cuda::CudaCheckpoint {
 public:
  Result<cuda::State> StateOf(int, const WaitLimit&) override { return cuda::State::kRunning; }
  Result<int> RestoreThread(int pid, const WaitLimit&) override { return pid; }
  Status Lock(int, Duration, const WaitLimit&) override { return Status::Ok(); }
  Status Checkpoint(int, const WaitLimit&) override { return Status::Ok(); }
  Status Restore(int pid, const cuda::DeviceMap&, const WaitLimit&) override {
    restored.push_back(pid);
    return Status::Ok();
  }
  Status Unlock(int, const WaitLimit&) override { return Status::Ok(); }
  std::vector<int> restored;
};

class SeenGpus : public cuda::ContainerGpus {
 public:
  Result<std::vector<std::string>> SeenBy(int, const WaitLimit&) override {
    return std::vector<std::string>{kGpu1, kGpu2};
  }
};

class CudaRestoreTest : public testing::Test {
 protected:
  CudaRestoreTest() {
    // What nsrestore says: the first of the restored is process 7 in the container.
    std::ofstream(Path("nsrestore")) << "#!/bin/sh\necho '{\"restoredPID\":7}'\n";
    std::filesystem::permissions(Path("nsrestore"), std::filesystem::perms::owner_all);
    waiting_ = containers_.Start("c1");
    std::filesystem::create_directories(Path(fmt::format("proc/{}/root", waiting_)) +
                                        std::string(snapshot::kControlDirectory));
    Process(waiting_, fmt::format("{}\t1", waiting_), {kFirst});
    Process(kFirst, fmt::format("{}\t7\t1", kFirst), {kEngine});
    Process(kEngine, fmt::format("{}\t8\t20", kEngine), {});
  }
  void Process(int pid, const std::string& ids, const std::vector<int>& children) {
    const std::string place = Path(fmt::format("proc/{}", pid));
    std::filesystem::create_directories(fmt::format("{}/task/{}", place, pid));
    std::ofstream(place + "/status") << fmt::format(
        "Name:\tengine\nState:\tS\nPid:\t{}\nUid:\t0\t0\t0\t1000\n"
        "Gid:\t0\t0\t0\t2000\nNSpid:\t{}\n",
        pid, ids);
    std::ofstream(place + "/cgroup") << "0::/pod\n";
    std::filesystem::create_directories(place + "/ns");
    std::ofstream(place + "/ns/pid") << "";
    std::ofstream list(fmt::format("{}/task/{}/children", place, pid));
    for (const int child : children) {
      list << child << " ";
    }
  }
  // Its process 20 used two GPUs.
  void Publish(std::vector<int> pids) {
    snapshot::Manifest manifest = snapshot::SampleManifest("lark");
    manifest.cuda = {std::move(pids), {kGpu1, kGpu2}};
    ASSERT_OK(snapshot::PublishSample(
        RealFileSystem(), storage_, manifest,
        {{"pages-1.img", "pages"}, {std::string(snapshot::kCudaJobFile), "job"}}));
  }
  Result<RestoredContainer> Restore() {
    return agent::Restore({.runtime = containers_.runtime(),
                           .files = RealFileSystem(),
                           .clock = RealClock(),
                           .nsrestore = Path("nsrestore"),
                           .bundle = containers_.directory().path(),
                           .storage = storage_,
                           .journal_directory = Path("journal"),
                           .places = {.proc = Path("proc")},
                           .cuda = &cuda_,
                           .gpus = &gpus_},
                          "c1", {.checkpoint_id = "lark", .pod_namespace = "team"},
                          WaitLimit::For(RealClock(), std::chrono::minutes(1)));
  }
  std::string Path(const std::string& name) const { return containers_.directory() / name; }

  HeldContainers containers_;
  snapshot::StorageLayout storage_ = *snapshot::StorageLayout::Create(Path("storage"));
  ListingDriver driver_;
  cuda::Sequence cuda_{driver_, RealClock()};
  SeenGpus seen_;
  cuda::GpuDiscovery gpus_{nullptr, nullptr, &seen_};
  int waiting_ = 0;
};

// A81, A88: a workload that is not root reads its job file, and nobody else does.
TEST_F(CudaRestoreTest, TheJobFileIsGivenToWhomItIsFor) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root gives files to others";
  }
  Publish({20});
  ASSERT_OK(Restore().status());
  EXPECT_THAT(driver_.restored, ElementsAre(kEngine));
  struct stat info {};
  const std::string file = Path(fmt::format("proc/{}/root", waiting_)) +
                           std::string(snapshot::kControlDirectory) + "/" +
                           std::string(snapshot::kCudaJobFile);
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 1000U);
  EXPECT_EQ(info.st_gid, 2000U);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

// A81: one that did not come back, and one that stands twice.
TEST_F(CudaRestoreTest, ProcessesAreFoundOnceOrTheRestoreFails) {
  Publish({20, 21});
  const Status missing = Restore().status();
  EXPECT_CODE(Code::kDataLoss, missing);
  EXPECT_THAT(missing.message(), HasSubstr("21"));
  Process(kFirst, fmt::format("{}\t7\t1", kFirst), {kEngine, kEngine + 1});
  Process(kEngine + 1, fmt::format("{}\t9\t20", kEngine + 1), {});
  const Status twice = Restore().status();
  EXPECT_CODE(Code::kDataLoss, twice);
  EXPECT_THAT(twice.message(), HasSubstr("twice"));
  EXPECT_THAT(driver_.restored, ElementsAre());
}

}  // namespace
}  // namespace hearth::agent
