#include "gms/storage/artifact_reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/storage/checkpoint.h"
#include "gms/storage/manifest.h"
#include "gms/storage/testing/sample_weights.h"
#include "gms/storage/verify.h"

namespace hearth::gms::storage {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

void FlipByte(const std::string& path, uint64_t offset) {
  const UniqueFd fd(::open(path.c_str(), O_RDWR));
  char byte = 0;
  ASSERT_EQ(::pread(fd.get(), &byte, 1, static_cast<off_t>(offset)), 1) << path;
  byte ^= 0x10;
  ASSERT_EQ(::pwrite(fd.get(), &byte, 1, static_cast<off_t>(offset)), 1);
}

class ArtifactReaderTest : public testing::Test {
 protected:
  ArtifactReaderTest() {
    EXPECT_TRUE(SaveSample(RealFileSystem(), directory_, {{0, &weights_}}).ok());
  }
  Result<std::unique_ptr<ArtifactReader>> Open() { return ArtifactReader::Open(device_, {}); }
  std::string OpenError() { return std::string(Open().status().message()); }

  TempDirectory temp_;
  std::string directory_ = temp_ / "c";
  std::string device_ = directory_ + "/device-0";
  SampleWeights weights_{5};
  TransferEngine engine_{SmallEngine()};
};

TEST_F(ArtifactReaderTest, ZerosTakeNoRoomAndComeBack) {
  ASSERT_OK_AND_ASSIGN(const auto reader, Open());
  ASSERT_OK_AND_ASSIGN(const auto bytes, LoadSample(*reader, engine_));
  EXPECT_EQ(bytes[1], std::string(2 * SampleWeights::kGranularity, '\0'));
  struct stat info {};
  ASSERT_EQ(::stat((device_ + "/shards/shard_0000.bin").c_str(), &info), 0);
  EXPECT_EQ(info.st_size, 7 * static_cast<int64_t>(SampleWeights::kGranularity));
  EXPECT_LE(info.st_blocks * 512, 5 * static_cast<int64_t>(SampleWeights::kGranularity));
}

// W-21: wherever a byte of a shard is changed, file and chunk are named and the load fails.
TEST_F(ArtifactReaderTest, AnyChangedByteOfAShardIsNamed) {
  ASSERT_OK_AND_ASSIGN(const auto whole, Open());
  for (const StoredShard& shard : whole->manifest().shards) {
    for (uint64_t at = 17; at < shard.bytes; at += 3 * SampleWeights::kGranularity / 2) {
      FlipByte(device_ + "/" + shard.path, at);
      ASSERT_OK_AND_ASSIGN(const auto reader, Open());
      // A chunk of zeros is not read when it is loaded; verify does read it.
      ASSERT_OK_AND_ASSIGN(const VerifyReport report,
                           VerifyChunks(*reader, engine_, RealClock(), WaitLimit::Forever()));
      ASSERT_THAT(report.damages, SizeIs(1)) << shard.path << " " << at;
      EXPECT_EQ(report.damages[0].file, device_ + "/" + shard.path);
      EXPECT_LE(report.damages[0].offset, at);
      EXPECT_GT(report.damages[0].offset + report.damages[0].bytes, at);
      if (!reader->records()[report.damages[0].chunk].zero) {
        const auto loaded = LoadSample(*reader, engine_);
        EXPECT_CODE(Code::kDataLoss, loaded);
        EXPECT_THAT(std::string(loaded.status().message()), HasSubstr(shard.path + ": chunk"));
      }
      FlipByte(device_ + "/" + shard.path, at);
    }
  }
  EXPECT_OK(CheckSample(directory_, 0, weights_));
}

TEST_F(ArtifactReaderTest, AnyChangedByteOfTheOtherFilesIsNamed) {
  for (const std::string name : {kManifestName, kMetadataName, kChunkTableName}) {
    const uint64_t size = std::filesystem::file_size(device_ + "/" + name);
    for (uint64_t at = 0; at < size; at += 1 + size / 50) {
      FlipByte(device_ + "/" + name, at);
      EXPECT_THAT(OpenError(), HasSubstr(name)) << at;
      FlipByte(device_ + "/" + name, at);
    }
  }
  EXPECT_OK(Open());
}

TEST_F(ArtifactReaderTest, MissingAndCutFilesAreNamed) {
  for (const std::string name :
       {kManifestName, kMetadataName, kChunkTableName, "shards/shard_0001.bin"}) {
    const std::string path = device_ + "/" + name;
    std::filesystem::rename(path, temp_ / "aside");
    EXPECT_THAT(OpenError(), HasSubstr(name));
    std::filesystem::rename(temp_ / "aside", path);
    const auto size = std::filesystem::file_size(path);
    std::filesystem::copy(path, temp_ / "aside");
    std::filesystem::resize_file(path, size - 1);
    EXPECT_THAT(OpenError(), HasSubstr(name));
    std::filesystem::rename(temp_ / "aside", path);
    EXPECT_OK(Open());
  }
}

// W-23: nothing outside is opened, whatever lies in the way.
TEST_F(ArtifactReaderTest, LinksAreNotFollowed) {
  const std::string shard = device_ + "/shards/shard_0000.bin";
  std::filesystem::rename(shard, temp_ / "outside");
  std::filesystem::create_symlink(temp_ / "outside", shard);
  EXPECT_THAT(OpenError(), HasSubstr("symbolic link"));
  std::filesystem::remove(shard);
  std::filesystem::rename(temp_ / "outside", shard);
  std::filesystem::rename(device_ + "/shards", temp_ / "outside");
  std::filesystem::create_directory_symlink(temp_ / "outside", device_ + "/shards");
  EXPECT_THAT(OpenError(), HasSubstr("symbolic link"));
}

TEST_F(ArtifactReaderTest, AShardThatIsAPipeDoesNotMakeUsWait) {
  const std::string shard = device_ + "/shards/shard_0000.bin";
  std::filesystem::remove(shard);
  ASSERT_EQ(::mkfifo(shard.c_str(), 0600), 0);
  EXPECT_THAT(OpenError(), HasSubstr("no regular file"));
}

// What others saved before us.
class OldArtifactTest : public testing::Test {
 protected:
  void Write(const std::string& name, std::string_view bytes) {
    ASSERT_OK(RealFileSystem().Write(temp_ / name, bytes, 0644));
  }
  TempDirectory temp_;
};

TEST_F(OldArtifactTest, VersionZeroIsReadWithItsMetadata) {
  ASSERT_OK(RealFileSystem().MakeDirectories(temp_ / "shards", 0755));
  Write("shards/shard_0000.bin", std::string(4096, 'w'));
  Write(kManifestName, R"({"timestamp": 1.0, "device": 0, "layout_hash":
    "a91673679f59e4770c39bb1a990dc65ef26e4ce34836cd9bc445c5841d555ce2", "allocations": [
    {"allocation_id": "x", "size": 4096, "aligned_size": 4096, "tag": "weights",
     "tensor_file": "shards/shard_0000.bin", "tensor_offset": 0}]})");
  // W-22: without its metadata it is not the layout that was saved.
  EXPECT_CODE(Code::kDataLoss, ArtifactReader::Open(temp_.path(), {}));
  Write(kMetadataName,
        R"({"tensor.0": {"allocation_id": "x", "offset_bytes": 0, "value": "d2VpZ2h0cw=="}})");
  ASSERT_OK_AND_ASSIGN(const auto reader, ArtifactReader::Open(temp_.path(), {}));
  TransferEngine engine(SmallEngine());
  EXPECT_THAT(*LoadSample(*reader, engine), testing::ElementsAre(std::string(4096, 'w')));
}

TEST_F(OldArtifactTest, VersionOneWithOddGranularityIsReadThroughThePageCache) {
  Write("s.bin", std::string(64, 'a') + std::string(128, 'b'));
  Write(kManifestName, R"({"version":1,"allocations":[
    {"allocation_id":"x","aligned_size":64,"shard":"s.bin","offset":0},
    {"allocation_id":"y","aligned_size":128,"shard":"s.bin","offset":64}]})");
  ASSERT_OK_AND_ASSIGN(const auto reader, ArtifactReader::Open(temp_.path(), {}));
  TransferEngine engine(SmallEngine());
  EXPECT_THAT(*LoadSample(*reader, engine),
              testing::ElementsAre(std::string(64, 'a'), std::string(128, 'b')));
  Write("s.bin", std::string(193, 'a'));
  EXPECT_CODE(Code::kDataLoss, ArtifactReader::Open(temp_.path(), {}));
}

}  // namespace
}  // namespace hearth::gms::storage
