#include "snapshot/images/captured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "snapshot/images/testing/sample_images.h"

namespace hearth::snapshot::images {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CapturedTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& [name, bytes] : SampleImages()) {
      ASSERT_OK(RealFileSystem().Write(directory_ / name, bytes, 0600));
    }
  }
  void Replace(const std::string& name, const std::string& bytes) {
    ASSERT_OK(RealFileSystem().Write(directory_ / name, bytes, 0600));
  }
  Result<Captured> Read() { return ReadCaptured(directory_.path()); }

  TempDirectory directory_;
};

TEST_F(CapturedTest, TellsTheProcessesAndWhatTheyWereStartedWith) {
  ASSERT_OK_AND_ASSIGN(const Captured captured, Read());
  ASSERT_THAT(captured.processes, SizeIs(2));
  const CapturedProcess& engine = captured.processes[0];
  EXPECT_EQ(engine.name, "engine");
  EXPECT_EQ(engine.program, "/app/engine");
  EXPECT_EQ(engine.threads, 3U);
  EXPECT_THAT(engine.arguments, ElementsAre("engine", "--port", "8000"));
  EXPECT_THAT(engine.environment_names, ElementsAre("PATH", "HF_TOKEN"));
  EXPECT_EQ(engine.saved_bytes, 65U * 4096);
  EXPECT_EQ(captured.processes[1].parent, 1U);
  EXPECT_EQ(captured.processes[1].saved_bytes, 4U * 4096) << "what is in a parent is not here";
  EXPECT_EQ(captured.shared_bytes, 128U * 4096);
}

TEST_F(CapturedTest, TellsMappingsByWhatTheyAre) {
  ASSERT_OK_AND_ASSIGN(const Captured captured, Read());
  std::vector<MappingKind> kinds;
  for (const Mapping& mapping : captured.processes[0].mappings) {
    kinds.push_back(mapping.kind);
  }
  EXPECT_THAT(kinds, ElementsAre(MappingKind::kFile, MappingKind::kHeap, MappingKind::kShared,
                                 MappingKind::kStack, MappingKind::kKernel));
  EXPECT_EQ(captured.PathOf(captured.processes[0].mappings[0].object), "/app/engine");
  EXPECT_EQ(captured.processes[0].mappings[1].saved_bytes, 64U * 4096);
  EXPECT_EQ(captured.processes[0].mappings[2].saved_bytes, 0U) << "shared memory is saved once";
  EXPECT_EQ(captured.processes[0].mappings[3].saved_bytes, 4096U);
}

TEST_F(CapturedTest, TellsFilesSocketsAndMounts) {
  ASSERT_OK_AND_ASSIGN(const Captured captured, Read());
  const auto file = [&](uint32_t fd) {
    return captured.files.at(captured.processes[0].descriptors.at(fd).file);
  };
  EXPECT_EQ(file(3).type, "inet");
  EXPECT_EQ(file(3).inet.local, "0.0.0.0:8000");
  EXPECT_EQ(file(3).inet.state, "listen");
  EXPECT_EQ(file(3).inet.peer, "");
  EXPECT_EQ(file(4).inet.peer, "10.0.0.9:4222");
  EXPECT_EQ(file(4).inet.state, "established");
  EXPECT_EQ(file(6).unix_socket.name, "/run/engine.sock");
  EXPECT_EQ(file(6).unix_socket.state, "listen");
  ASSERT_THAT(captured.mounts, SizeIs(3));
  EXPECT_EQ(captured.mounts[0].type, "overlay");
  EXPECT_TRUE(captured.mounts[0].external);
  EXPECT_FALSE(captured.mounts[1].external);
}

TEST_F(CapturedTest, WhatWasNotSavedOfAProcessIsLeftOut) {
  Replace("pagemap-1.img", ImageOf(0x56084025, {MessageWriter().Number(1, 1).Take()}));
  ASSERT_OK_AND_ASSIGN(const Captured captured, Read());
  EXPECT_THAT(captured.processes[0].arguments, IsEmpty());
  EXPECT_THAT(captured.processes[0].environment_names, IsEmpty());
}

TEST_F(CapturedTest, ADamagedImageIsNamed) {
  Replace("core-2.img", "short");
  EXPECT_THAT(Read().status().ToString(), HasSubstr("core-2.img"));
  EXPECT_CODE(Code::kDataLoss, Read());
  std::filesystem::remove(directory_ / "core-2.img");
  EXPECT_THAT(Read().status().ToString(), HasSubstr("core-2.img"));
}

TEST_F(CapturedTest, LinksAreNotFollowed) {
  std::filesystem::rename(directory_ / "files.img", directory_ / "elsewhere");
  std::filesystem::create_symlink("elsewhere", directory_ / "files.img");
  EXPECT_FALSE(Read().ok());
}

TEST(Framing, AnImageIsOfItsKindAndWhole) {
  const std::string tree = SampleImages()["pstree.img"];
  EXPECT_OK(DecodeProcessTree(tree).status());
  EXPECT_CODE(Code::kDataLoss, DecodeFiles(tree));
  for (size_t size = 0; size < tree.size(); ++size) {
    const auto decoded = DecodeProcessTree(std::string_view(tree).substr(0, size));
    // Cut between two entries it is shorter, anywhere else it is no image.
    EXPECT_TRUE(!decoded.ok() || decoded->size() < 2) << size;
  }
}

TEST(Framing, NamesThatWouldPaintTheTerminalAreMadeHarmless) {
  const std::string core = ImageOf(
      0x55053847, {MessageWriter().Bytes(3, MessageWriter().Bytes(6, "a\x1b[2Jb").Take()).Take()});
  ASSERT_OK_AND_ASSIGN(const Task task, DecodeCore(core));
  EXPECT_EQ(task.name, "a?[2Jb");
}

// cap_bnd is field 12 of its credentials, in words of 32 bits, and no_new_privs field 18.
TEST(Framing, RightsOfAThreadAreReadOfItsCore) {
  const std::string credentials =
      MessageWriter().Number(10, 1).Number(12, 0x80000000).Number(12, 0x2).Number(18, 1).Take();
  const std::string core = ImageOf(
      0x55053847, {MessageWriter().Bytes(5, MessageWriter().Bytes(10, credentials).Take()).Take()});
  ASSERT_OK_AND_ASSIGN(const Rights rights, DecodeRights(core));
  EXPECT_EQ(rights.capabilities, 0x280000001U);
  EXPECT_TRUE(rights.no_new_privileges);
}

TEST(Framing, PagesBeyondAnyMemoryAreDamage) {
  const std::string map =
      ImageOf(0x56084025, {MessageWriter().Number(1, 1).Take(),
                           MessageWriter().Number(1, 0).Number(5, UINT64_MAX).Take()});
  EXPECT_CODE(Code::kDataLoss, DecodePagemap(map));
}

}  // namespace
}  // namespace hearth::snapshot::images
