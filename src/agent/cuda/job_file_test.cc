#include "agent/cuda/job_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "base/unique_fd.h"

namespace hearth::agent::cuda {
namespace {

class JobFileTest : public testing::Test {
 protected:
  std::string InContainer() const { return container_ / std::string(kJobFile); }
  std::string InArtifact() const { return artifact_ / std::string(kJobFile); }
  Result<bool> Save(size_t gpus) {
    ASSIGN_OR_RETURN(const auto control, ControlDirectory::Open(container_.path(), "/"));
    return SaveJobFile(control, directory_.get(), gpus);
  }
  TempDirectory container_;
  TempDirectory artifact_;
  UniqueFd directory_{::open(artifact_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
};

// A88: saved for its owner only, and read back.
TEST_F(JobFileTest, GoesToTheArtifactAndBack) {
  std::ofstream(InContainer()) << "state";
  EXPECT_TRUE(*Save(2));
  struct stat info {};
  ASSERT_EQ(::stat(InArtifact().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  EXPECT_EQ(**ReadSavedJobFile(directory_.get(), 2), "state");
  std::ofstream(InContainer()) << "changed by the driver";
  EXPECT_TRUE(*Save(2));
  EXPECT_EQ(**ReadSavedJobFile(directory_.get(), 2), "changed by the driver");
}

// A88: several GPUs need it.
TEST_F(JobFileTest, MayBeMissingForOneGpuOnly) {
  EXPECT_FALSE(*Save(1));
  EXPECT_FALSE(ReadSavedJobFile(directory_.get(), 1)->has_value());
  EXPECT_CODE(Code::kInvalid, Save(2));
  EXPECT_CODE(Code::kInvalid, ReadSavedJobFile(directory_.get(), 2));
  EXPECT_NE(Save(2).status().message().find("missing CUDA launch-job state"), std::string::npos);
}

// A88: links are refused wherever they are, and never written through.
TEST_F(JobFileTest, IsNeverALink) {
  const std::string secret = container_ / "secret";
  std::ofstream(secret) << "secret";
  std::filesystem::create_symlink(secret, InContainer());
  EXPECT_CODE(Code::kPermissionDenied, Save(1));
  std::filesystem::remove(InContainer());
  std::ofstream(InContainer()) << "state";
  std::filesystem::create_symlink(secret, InArtifact());
  EXPECT_CODE(Code::kPermissionDenied, ReadSavedJobFile(directory_.get(), 1));
  EXPECT_TRUE(*Save(1));
  EXPECT_EQ(*RealFileSystem().Read(secret, 100), "secret");
  EXPECT_FALSE(std::filesystem::is_symlink(InArtifact()));
  ASSERT_OK_AND_ASSIGN(auto control, ControlDirectory::Open(container_.path(), "/"));
  std::filesystem::remove(InContainer());
  std::filesystem::create_symlink(secret, InContainer());
  EXPECT_CODE(Code::kPermissionDenied, GiveJobFile(control, ::getuid(), ::getgid()));
  EXPECT_OK(PlaceJobFile(control, "placed"));
  EXPECT_EQ(*RealFileSystem().Read(secret, 100), "secret");
  std::filesystem::remove(InContainer());
  std::filesystem::create_hard_link(secret, InContainer());
  EXPECT_CODE(Code::kPermissionDenied, GiveJobFile(control, ::getuid(), ::getgid()));
}

// A88: each container has a copy of its own, which belongs to whoever runs in it.
TEST_F(JobFileTest, IsCopiedForEachContainer) {
  const TempDirectory other;
  for (const std::string& place : {container_.path(), other.path()}) {
    ASSERT_OK_AND_ASSIGN(auto control, ControlDirectory::Open(place, "/"));
    ASSERT_OK(PlaceJobFile(control, "state"));
    ASSERT_OK(GiveJobFile(control, ::getuid(), ::getgid()));
  }
  std::ofstream(InContainer()) << "changed";
  EXPECT_EQ(*RealFileSystem().Read(other / std::string(kJobFile), 100), "state");
  struct stat info {};
  ASSERT_EQ(::stat(InContainer().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  EXPECT_EQ(info.st_uid, ::getuid());
}

}  // namespace
}  // namespace hearth::agent::cuda
