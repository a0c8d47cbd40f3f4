#include "agent/receive/page_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstring>

#include "agent/receive/testing/sent_pages.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "disk/confined_file.h"
#include "disk/digest.h"
#include "disk/zstd/block.h"

namespace hearth::agent::receive {
namespace {

constexpr size_t kChunk = snapshot::kDefaultChunkBytes;
constexpr size_t kChunkPages = kChunk / 4096;

std::string Noise(size_t bytes) {
  std::string noise;
  uint64_t state = 1;
  while (noise.size() < bytes) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    noise.append(reinterpret_cast<const char*>(&state), sizeof(state));
  }
  return noise;
}

class PackedStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(directory_fd_, disk::OpenDirectory(directory_.path()));
  }
  // As pieces come from a socket.
  static Status Append(PageSink& sink, const std::string& bytes, size_t piece) {
    for (size_t at = 0; at < bytes.size();) {
      const auto next = sink.Next(std::min(piece, bytes.size() - at));
      std::memcpy(next.data(), bytes.data() + at, next.size());
      RETURN_IF_ERROR(sink.Filled(next.size()));
      at += next.size();
    }
    return sink.End();
  }
  Result<snapshot::DigestedFile> Store(const std::string& bytes, size_t piece) {
    const auto store = MakePackedStore();
    ASSIGN_OR_RETURN(const auto sink, store->Create(directory_fd_.get(), "pages-1.img", 0));
    RETURN_IF_ERROR(Append(*sink, bytes, piece));
    RETURN_IF_ERROR(store->Drain());
    return sink->Complete();
  }
  std::string Content(const std::string& name) {
    return *RealFileSystem().Read(directory_ / name, 256ULL << 20U);
  }
  // What the table says that the file stands for.
  static std::string Expanded(const snapshot::StoredFile& file, const std::string& content) {
    std::string plain;
    for (size_t i = 0; i < file.chunks.size(); ++i) {
      const snapshot::ChunkPlace place = snapshot::PlaceOf(file, i, kChunk);
      const std::string stored = content.substr(place.offset, place.bytes);
      EXPECT_EQ(plain.size(), place.plain_offset);
      std::string chunk(place.plain_bytes, '\0');
      if (!file.chunks[i].zero) {
        EXPECT_EQ(disk::DigestOf(stored), file.chunks[i].digest) << i;
        chunk = stored.substr(0, place.plain_bytes);
      }
      if (place.packed_bytes > 0) {
        chunk.resize(place.plain_bytes);
        EXPECT_OK(disk::zstd::Expander().Expand({stored.data(), place.packed_bytes}, chunk));
      }
      plain += chunk;
    }
    return plain;
  }

  TempDirectory directory_;
  UniqueFd directory_fd_;
};

TEST_F(PackedStoreTest, HoldsWhatWasAppendedInItsOrder) {
  std::string bytes;
  for (const char letter : std::string("abcdefghijklmnop")) {
    bytes += Pages(std::string(kChunkPages, letter));
    bytes += Noise(kChunk);
  }
  bytes += Pages("last");
  ASSERT_OK_AND_ASSIGN(const auto stored, Store(bytes, size_t{7} * 4096));
  const std::string content = Content("pages-1.img");
  EXPECT_EQ(stored.file.bytes, content.size());
  EXPECT_EQ(stored.file.PlainBytes(), bytes.size());
  EXPECT_TRUE(Expanded(stored.file, content) == bytes);
  // Half of it is noise, which is kept as it is.
  EXPECT_GE(content.size(), bytes.size() / 2 - kChunk);
  EXPECT_LE(content.size(), bytes.size() / 2 + 17 * 4096);
  EXPECT_EQ(stored.file.packing->sizes()[1], kChunk);
}

TEST_F(PackedStoreTest, NothingButZerosIsNotThere) {
  const std::string bytes = Pages(std::string(20 * kChunkPages, '0')) + Pages("z0");
  ASSERT_OK_AND_ASSIGN(const auto stored, Store(bytes, bytes.size()));
  EXPECT_TRUE(stored.file.chunks[0].zero);
  EXPECT_FALSE(stored.file.chunks[20].zero);
  EXPECT_EQ(stored.file.bytes, 4096U);
  EXPECT_TRUE(Expanded(stored.file, Content("pages-1.img")) == bytes);
}

TEST_F(PackedStoreTest, SeveralFilesAtOnceAndAnEmptyOne) {
  const auto store = MakePackedStore();
  ASSERT_OK_AND_ASSIGN(const auto one, store->Create(directory_fd_.get(), "pages-1.img", 0));
  ASSERT_OK_AND_ASSIGN(const auto two, store->Create(directory_fd_.get(), "pages-2.img", 0));
  const std::string letters = Pages(std::string(3 * kChunkPages + 5, 'x'));
  const std::string noise = Noise(2 * kChunk + 8192);
  ASSERT_OK(Append(*one, letters, letters.size()));
  ASSERT_OK(Append(*two, noise, noise.size()));
  ASSERT_OK_AND_ASSIGN(const auto three, store->Create(directory_fd_.get(), "pages-3.img", 0));
  ASSERT_OK(three->End());
  ASSERT_OK(store->Drain());
  ASSERT_OK_AND_ASSIGN(const auto first, one->Complete());
  ASSERT_OK_AND_ASSIGN(const auto second, two->Complete());
  ASSERT_OK_AND_ASSIGN(const auto third, three->Complete());
  EXPECT_TRUE(Expanded(first.file, Content("pages-1.img")) == letters);
  EXPECT_TRUE(Expanded(second.file, Content("pages-2.img")) == noise);
  EXPECT_EQ(third.file.bytes, 0U);
  struct stat info {};
  ASSERT_EQ(::stat((directory_ / "pages-3.img").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(PackedStoreTest, DoesNotOverwrite) {
  ASSERT_OK(Store("", 1).status());
  EXPECT_CODE(Code::kAlreadyExists, Store("", 1).status());
}

TEST_F(PackedStoreTest, WhatCannotBeWrittenIsTold) {
  const auto store = MakePackedStore();
  ASSERT_OK_AND_ASSIGN(const auto sink, store->Create(directory_fd_.get(), "pages-1.img", 0));
  // No file may become that long; the signal for it would end us.
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handled = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit less { .rlim_cur = kChunk, .rlim_max = before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &less), 0);
  static_cast<void>(Append(*sink, Noise(3 * kChunk), kChunk));
  const Status drained = store->Drain();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handled);
  EXPECT_THAT(drained.message(), testing::HasSubstr("write pages-1.img"));
}

TEST_F(PackedStoreTest, GoesWhileThereIsWork) {
  auto store = MakePackedStore();
  ASSERT_OK_AND_ASSIGN(const auto sink, store->Create(directory_fd_.get(), "pages-1.img", 0));
  ASSERT_OK(Append(*sink, Noise(4 * kChunk), kChunk));
  store.reset();
}

}  // namespace
}  // namespace hearth::agent::receive
