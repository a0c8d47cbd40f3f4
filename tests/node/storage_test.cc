// Captures into storage that fails them: full, or read-only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <filesystem>

#include "snapshot/artifact/artifact.h"
#include "snapshot_rig.h"

namespace hearth::node {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class StorageTest : public SnapshotTest {
 protected:
  void SetUp() override {
    SnapshotTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    fs::create_directory(storage_->base());
    ASSERT_EQ(::mount("storage", storage_->base().c_str(), "tmpfs", 0, "size=96m,mode=700"), 0);
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) {
      ::umount2(storage_->base().c_str(), MNT_DETACH);
    }
  }
  std::vector<std::string> FilesInStorage() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(storage_->base())) {
      if (!entry.is_directory()) {
        files.push_back(entry.path().string());
      }
    }
    return files;
  }

 private:
  bool mounted_ = false;
};

// 10.6: CRIU cannot write its images.
TEST_F(StorageTest, ACaptureThatFillsTheStorageFailsSaysSoAndLeavesNothing) {
  ASSERT_OK_AND_ASSIGN(const auto container, rig_->StartWorkload("large", 192, 2));
  ASSERT_OK(AskWorkload(container.socket).status());
  const auto captured = Capture("large", "large");
  ASSERT_FALSE(captured.ok());
  EXPECT_THAT(captured.status().ToString(), HasSubstr("o space"));
  EXPECT_THAT(FilesInStorage(), IsEmpty());
  EXPECT_CODE(Code::kNotFound, snapshot::Artifact::Open(ArtifactOf("large")));
  // And there is room for the next one.
  ASSERT_OK_AND_ASSIGN(const auto small, rig_->StartWorkload("small", 1, 0));
  ASSERT_OK(AskWorkload(small.socket).status());
  EXPECT_OK(Capture("small", "small").status());
}

// 10.6: nothing is touched before it is known that it can be stored.
TEST_F(StorageTest, ReadOnlyStorageFailsBeforeTheContainerIsTouched) {
  ASSERT_OK_AND_ASSIGN(const auto container, rig_->StartWorkload("source", 4, 2));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(container.socket));
  ASSERT_EQ(::mount("", storage_->base().c_str(), "", MS_REMOUNT | MS_RDONLY, ""), 0);
  const auto captured = Capture("source", "source");
  ASSERT_FALSE(captured.ok());
  EXPECT_THAT(captured.status().ToString(), HasSubstr("Read-only file system"));
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(container.socket));
  EXPECT_EQ(after.token, before.token);
  EXPECT_EQ(after.requests, before.requests + 1);
  EXPECT_FALSE(fs::exists(journal()) && !fs::is_empty(journal())) << "nothing began";
}

}  // namespace
}  // namespace hearth::node
