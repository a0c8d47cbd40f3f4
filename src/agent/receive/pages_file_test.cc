#include "agent/receive/pages_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>

#include "agent/receive/testing/sent_pages.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "disk/confined_file.h"
#include "disk/digest.h"

namespace hearth::agent::receive {
namespace {

constexpr size_t kChunk = snapshot::kDefaultChunkBytes;
constexpr size_t kChunkPages = kChunk / 4096;

std::vector<std::pair<uint32_t, uint32_t>> RunsOf(const std::string& letters) {
  const std::string bytes = Pages(letters);
  std::vector<std::pair<uint32_t, uint32_t>> pages;
  for (const Run& run : RunsToWrite(std::as_bytes(std::span(bytes)))) {
    pages.emplace_back(run.begin / 4096, run.end / 4096);
  }
  return pages;
}

TEST(RunsToWrite, LeaveOutZerosThatAreWorthAHole) {
  using testing::ElementsAre;
  using testing::Pair;
  EXPECT_THAT(RunsOf("abc"), ElementsAre(Pair(0, 3)));
  EXPECT_THAT(RunsOf("0000"), ElementsAre());
  EXPECT_THAT(RunsOf("00ab00000c"), ElementsAre(Pair(2, 4), Pair(9, 10)));
  EXPECT_THAT(RunsOf("a000b"), ElementsAre(Pair(0, 5))) << "too short for a hole";
  EXPECT_THAT(RunsOf("a0"), ElementsAre(Pair(0, 1)));
}

class PagesFileTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(directory_fd_, disk::OpenDirectory(directory_.path()));
  }
  // As pieces come from a socket.
  static Status Append(PagesFile& file, const std::string& bytes, size_t piece) {
    for (size_t at = 0; at < bytes.size();) {
      const auto next = file.Next(std::min(piece, bytes.size() - at));
      std::memcpy(next.data(), bytes.data() + at, next.size());
      RETURN_IF_ERROR(file.Filled(next.size()));
      at += next.size();
    }
    return Status::Ok();
  }
  Result<snapshot::DigestedFile> Store(const std::string& bytes, size_t piece) {
    ASSIGN_OR_RETURN(const auto file,
                     PagesFile::Create(directory_fd_.get(), "pages-1.img", writer_));
    RETURN_IF_ERROR(Append(*file, bytes, piece));
    RETURN_IF_ERROR(file->End());
    RETURN_IF_ERROR(writer_.Drain());
    return file->Complete();
  }
  std::string Content() {
    return *RealFileSystem().Read(directory_ / "pages-1.img", 256ULL << 20U);
  }

  TempDirectory directory_;
  UniqueFd directory_fd_;
  DirectWriter writer_{{}};
};

TEST_F(PagesFileTest, HoldsWhatWasAppendedAndKnowsItsDigests) {
  const std::string bytes =
      Pages(std::string(kChunkPages, 'a')) + Pages(std::string(kChunkPages, 'b')) + Pages("last");
  ASSERT_OK_AND_ASSIGN(const auto stored, Store(bytes, size_t{3} * 4096));
  EXPECT_EQ(Content(), bytes);
  EXPECT_EQ(stored.file.name, "pages-1.img");
  EXPECT_EQ(stored.file.bytes, bytes.size());
  ASSERT_EQ(stored.file.chunks.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(stored.file.chunks[i].digest, disk::DigestOf(bytes.substr(i * kChunk, kChunk)));
  }
}

TEST_F(PagesFileTest, NothingButZerosTakesNoSpace) {
  // Dense first, so that room has been made for what turns out to be zeros.
  const std::string dense = Pages(std::string(kChunkPages, 'a'));
  const std::string half =
      Pages(std::string(kChunkPages / 2, 'b') + std::string(kChunkPages / 2, '0'));
  const std::string bytes =
      dense + half + Pages(std::string(20 * kChunkPages, '0')) + half + Pages("0000000z");
  ASSERT_OK_AND_ASSIGN(const auto stored, Store(bytes, bytes.size()));
  EXPECT_EQ(Content(), bytes);
  EXPECT_FALSE(stored.file.chunks[1].zero);
  EXPECT_TRUE(stored.file.chunks[2].zero);
  EXPECT_GE(stored.stored_bytes, 2 * kChunk + 4096);
  EXPECT_LE(stored.stored_bytes, 2 * kChunk + 4096 + (64 << 10)) << "but for what it is found by";
}

TEST_F(PagesFileTest, AnEmptyOneIsThere) {
  ASSERT_OK_AND_ASSIGN(const auto stored, Store("", 1));
  EXPECT_EQ(stored.file.bytes, 0U);
  EXPECT_EQ(Content(), "");
  struct stat info {};
  ASSERT_EQ(::stat((directory_ / "pages-1.img").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(PagesFileTest, DoesNotOverwrite) {
  ASSERT_OK(Store("", 1).status());
  EXPECT_CODE(Code::kAlreadyExists, PagesFile::Create(directory_fd_.get(), "pages-1.img", writer_));
}

}  // namespace
}  // namespace hearth::agent::receive
