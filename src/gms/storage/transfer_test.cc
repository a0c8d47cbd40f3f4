#include "gms/storage/transfer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <mutex>

#include "base/random.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::gms::storage {
namespace {

using testing::HasSubstr;

constexpr uint64_t kChunk = 64 << 10;
constexpr uint64_t kChunks = 40;

// Memory that only copies reach, as an accelerator's; fails or waits when told to.
class FakeDeviceMemory : public Memory {
 public:
  explicit FakeDeviceMemory(uint64_t size) : bytes_(size, '\x55') {}
  bool zero_when_fresh() const override { return false; }
  Status Put(uint64_t offset, const std::byte* from, uint64_t size) override {
    if (!error.ok()) {
      return error;
    }
    {
      std::unique_lock lock(mutex_);
      ++waiting_;
      changed_.notify_all();
      changed_.wait(lock, [&] { return open_; });
    }
    std::memcpy(bytes_.data() + offset, from, size);
    return {};
  }
  Status Get(uint64_t offset, std::byte* to, uint64_t size) override {
    std::memcpy(to, bytes_.data() + offset, size);
    return {};
  }
  void SetOpen(bool open) {
    std::lock_guard lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }
  void AwaitSomebody() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ > 0; });
  }
  std::string& bytes() { return bytes_; }
  Status error;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int waiting_ = 0;
  std::string bytes_;
};

std::string RandomBytes() {
  std::string bytes(kChunk * kChunks, '\0');
  Random random(7);
  for (size_t i = 0; i < bytes.size(); i += 8) {
    const uint64_t word = random.Next();
    std::memcpy(bytes.data() + i, &word, 8);
  }
  std::memset(bytes.data() + 3 * kChunk, 0, 2 * kChunk);
  return bytes;
}

// Each way the kernel lets us move bytes must give the same.
struct Way {
  const char* name;
  bool io_uring;
  bool direct;
};

class TransferTest : public testing::TestWithParam<Way> {
 protected:
  TransferTest()
      : engine_({.workers = 3,
                 .depth = 6,
                 .staging_bytes = 4 << 20,
                 .slot_bytes = kChunk,
                 .io_uring = GetParam().io_uring}) {}

  std::unique_ptr<StorageFile> OpenFile() {
    UniqueFd fd(::open((temp_ / "shard").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    auto file = std::make_unique<StorageFile>(std::move(fd), "shard");
    if (GetParam().direct) {
      file->TryDirect();
    }
    return file;
  }
  std::vector<Piece> Pieces(StorageFile* file, Memory& memory) const {
    std::vector<Piece> pieces;
    for (uint64_t i = 0; i < kChunks; ++i) {
      pieces.push_back({.file = file,
                        .file_offset = i * kChunk,
                        .memory = &memory,
                        .memory_offset = i * kChunk,
                        .bytes = kChunk,
                        .chunk = i});
    }
    return pieces;
  }
  Status Move(Direction direction, Memory& memory, StorageFile& file) {
    const auto transfer = engine_.Begin({.direction = direction, .lanes = 2, .records = records_});
    const std::vector<Piece> pieces = Pieces(&file, memory);
    transfer->Add(0, std::span(pieces).first(30));
    transfer->Add(1, std::span(pieces).subspan(30));
    return transfer->Finish(RealClock(), WaitLimit::Forever());
  }
  void SaveAll() {
    FakeDeviceMemory memory(kChunk * kChunks);
    memory.bytes() = bytes_;
    const auto file = OpenFile();
    ASSERT_OK(file->Preallocate(bytes_.size()));
    ASSERT_OK(Move(Direction::kSave, memory, *file));
    ASSERT_OK(file->Sync());
  }

  TempDirectory temp_;
  TransferEngine engine_;
  std::string bytes_ = RandomBytes();
  std::vector<ChunkRecord> records_ = std::vector<ChunkRecord>(kChunks);
};

// W-31, W-32: rings or plain calls, direct or through the page cache; whatever a machine refuses,
// the next way gives the same bytes.
TEST_P(TransferTest, WhatCopiedMemorySavesEveryMemoryLoads) {
  SaveAll();
  EXPECT_TRUE(records_[3].zero);
  EXPECT_FALSE(records_[5].zero);
  const auto file = OpenFile();

  FakeDeviceMemory copied(bytes_.size());
  ASSERT_OK(Move(Direction::kLoad, copied, *file));
  EXPECT_TRUE(copied.bytes() == bytes_);  // zeros were written over what was there

  void* mapping =
      ::mmap(nullptr, bytes_.size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const auto mapped = MappedMemory(mapping, true);
  ASSERT_OK(Move(Direction::kLoad, *mapped, *file));
  EXPECT_EQ(std::memcmp(mapping, bytes_.data(), bytes_.size()), 0);
  // And saves it again, straight out of the mapping.
  std::vector<ChunkRecord> before = records_;
  records_.assign(kChunks, {});
  ASSERT_OK(Move(Direction::kSave, *mapped, *file));
  EXPECT_EQ(records_, before);
  ::munmap(mapping, bytes_.size());

  UniqueFd fd(::memfd_create("x", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(fd.get(), static_cast<off_t>(bytes_.size())), 0);
  const auto written = DescriptorMemory(std::move(fd));
  ASSERT_OK(Move(Direction::kLoad, *written, *file));
  std::string read(bytes_.size(), '\1');
  ASSERT_OK(written->Get(0, reinterpret_cast<std::byte*>(read.data()), read.size()));
  EXPECT_TRUE(read == bytes_);
}

// Memory that is zero when it is fresh is left alone; nothing is read for it, either.
TEST_P(TransferTest, ZerosAreNotReadIntoFreshMemory) {
  SaveAll();
  const auto file = OpenFile();
  {
    UniqueFd shard(::open((temp_ / "shard").c_str(), O_WRONLY | O_CLOEXEC));
    const std::string garbage(2 * kChunk, '\x77');
    ASSERT_EQ(::pwrite(shard.get(), garbage.data(), garbage.size(), 3 * kChunk),
              static_cast<ssize_t>(garbage.size()));
  }
  UniqueFd fd(::memfd_create("x", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(fd.get(), static_cast<off_t>(bytes_.size())), 0);
  const int raw = fd.get();
  const auto fresh = DescriptorMemory(std::move(fd));
  ASSERT_OK(Move(Direction::kLoad, *fresh, *file));
  std::string read(bytes_.size(), '\1');
  ASSERT_OK(fresh->Get(0, reinterpret_cast<std::byte*>(read.data()), read.size()));
  EXPECT_TRUE(read == bytes_);
  EXPECT_EQ(::lseek(raw, 3 * kChunk, SEEK_DATA), static_cast<off_t>(5 * kChunk))
      << "no page was made for them";
}

TEST_P(TransferTest, DigestsAreTakenWithoutAFile) {
  SaveAll();
  const std::vector<ChunkRecord> saved = records_;
  records_.assign(kChunks, {});
  FakeDeviceMemory memory(bytes_.size());
  memory.bytes() = bytes_;
  const auto transfer = engine_.Begin({.direction = Direction::kDigest, .records = records_});
  transfer->Add(0, Pieces(nullptr, memory));
  ASSERT_OK(transfer->Finish(RealClock(), WaitLimit::Forever()));
  EXPECT_EQ(records_, saved);
}

// Direct I/O refuses such offsets, to all that are in flight, and the first one that hears it gives
// it up for all.
TEST_P(TransferTest, WhatDirectAccessRefusesIsReadThroughTheCache) {
  constexpr uint64_t kShift = 7;
  SaveAll();
  for (int round = 0; round < 10; ++round) {
    const auto file = OpenFile();
    FakeDeviceMemory memory(kChunk * kChunks);
    std::vector<Piece> pieces = Pieces(file.get(), memory);
    pieces.pop_back();  // the file ends with it
    for (Piece& piece : pieces) {
      piece.file_offset += kShift;
    }
    const auto transfer = engine_.Begin({.direction = Direction::kLoad, .lanes = 1});
    transfer->Add(0, pieces);
    ASSERT_OK(transfer->Finish(RealClock(), WaitLimit::Forever()));
    const uint64_t read = kChunk * (kChunks - 1);
    EXPECT_TRUE(memory.bytes().substr(0, read) == bytes_.substr(kShift, read));
  }
}

TEST_P(TransferTest, AFileThatEndsEarlyIsNamed) {
  SaveAll();
  ASSERT_EQ(::truncate((temp_ / "shard").c_str(), 10 * kChunk), 0);
  FakeDeviceMemory memory(bytes_.size());
  const auto file = OpenFile();
  const Status loaded = Move(Direction::kLoad, memory, *file);
  EXPECT_CODE(Code::kDataLoss, loaded);
  EXPECT_THAT(std::string(loaded.message()), HasSubstr("shard: chunk "));
}

TEST_P(TransferTest, MemoryThatFailsEndsTheTransfer) {
  SaveAll();
  FakeDeviceMemory memory(bytes_.size());
  memory.error = UnavailableError("the device fell off the bus");
  const auto file = OpenFile();
  EXPECT_EQ(Move(Direction::kLoad, memory, *file).message(), "the device fell off the bus");
}

// Lets memory go on when the transfer begins to wait: whatever was to be dropped is dropped then.
class OpeningClock : public Clock {
 public:
  explicit OpeningClock(FakeDeviceMemory& memory) : memory_(memory) {}
  SteadyTime Now() const override { return RealClock().Now(); }
  WallTime WallNow() const override { return RealClock().WallNow(); }
  void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& cv,
                 SteadyTime until) override {
    memory_.SetOpen(true);
    RealClock().WaitUntil(lock, cv, until);
  }

 private:
  FakeDeviceMemory& memory_;
};

TEST_P(TransferTest, StoppedItDropsWhatIsNotBegun) {
  SaveAll();
  FakeDeviceMemory memory(bytes_.size());
  memory.SetOpen(false);
  const auto file = OpenFile();
  const auto transfer = engine_.Begin({.records = records_});
  transfer->Add(0, Pieces(file.get(), memory));
  memory.AwaitSomebody();
  std::stop_source stop;
  stop.request_stop();
  OpeningClock clock(memory);
  EXPECT_CODE(Code::kCancelled, transfer->Finish(clock, {.stop = stop.get_token()}));
  EXPECT_LT(transfer->bytes_done(), bytes_.size());
}

TEST_P(TransferTest, OneTransferThatFailsDoesNotEndItsNeighbours) {
  SaveAll();
  const auto file = OpenFile();
  FakeDeviceMemory bad(bytes_.size());
  bad.error = UnavailableError("no");
  FakeDeviceMemory good(bytes_.size());
  const auto failing = engine_.Begin({.records = records_});
  const auto working = engine_.Begin({.records = records_});
  failing->Add(0, Pieces(file.get(), bad));
  working->Add(0, Pieces(file.get(), good));
  EXPECT_CODE(Code::kUnavailable, failing->Finish(RealClock(), WaitLimit::Forever()));
  EXPECT_OK(working->Finish(RealClock(), WaitLimit::Forever()));
  EXPECT_TRUE(good.bytes() == bytes_);
}

INSTANTIATE_TEST_SUITE_P(Ways, TransferTest,
                         testing::Values(Way{"RingDirect", true, true},
                                         Way{"RingBuffered", true, false},
                                         Way{"BlockingDirect", false, true},
                                         Way{"BlockingBuffered", false, false}),
                         [](const auto& info) { return info.param.name; });

class ClockThatIsNotAsked : public Clock {
 public:
  SteadyTime Now() const override { return RealClock().Now(); }
  WallTime WallNow() const override { return RealClock().WallNow(); }
  void WaitUntil(std::unique_lock<std::mutex>&, std::condition_variable&, SteadyTime) override {
    ADD_FAILURE() << "waits for what nobody does";
  }
};

// The only worker is busy elsewhere: nothing of it is in flight, and nobody will say that it is
// over.
TEST(TransferEngine, StoppedBeforeAnythingWasBegunItEndsAtOnce) {
  TransferEngine engine({.workers = 1, .depth = 1, .slot_bytes = kChunk, .io_uring = false});
  TempDirectory temp;
  UniqueFd fd(::open((temp / "shard").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  ASSERT_EQ(::ftruncate(fd.get(), kChunk), 0);
  StorageFile file(std::move(fd), "shard");
  FakeDeviceMemory closed(kChunk);
  closed.SetOpen(false);
  const Piece piece{.file = &file, .memory = &closed, .bytes = kChunk};
  const auto busy = engine.Begin({});
  busy->Add(0, std::span(&piece, 1));
  closed.AwaitSomebody();
  FakeDeviceMemory other(kChunk);
  const Piece waiting{.file = &file, .memory = &other, .bytes = kChunk};
  const auto transfer = engine.Begin({});
  transfer->Add(0, std::span(&waiting, 1));
  std::stop_source stop;
  stop.request_stop();
  ClockThatIsNotAsked clock;
  EXPECT_CODE(Code::kCancelled, transfer->Finish(clock, {.stop = stop.get_token()}));
  closed.SetOpen(true);
}

// Counts what is pinned; nothing else is ever asked of it here.
class PinCounter : public AddressSpace {
 public:
  Status PinHost(void* /*memory*/, uint64_t size) override {
    std::lock_guard lock(mutex_);
    pinned_ += size;
    changed_.notify_all();
    return {};
  }
  void UnpinHost(void* /*memory*/, uint64_t size) override {
    std::lock_guard lock(mutex_);
    unpinned_ += size;
  }
  void AwaitPinned() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return pinned_ > 0; });
  }
  uint64_t pinned() const { return pinned_; }
  uint64_t unpinned() const { return unpinned_; }

  const DeviceFacts& facts() const override { return facts_; }
  Result<uintptr_t> Reserve(uint64_t, uint64_t) override { return Unasked(); }
  Status FreeReservation(uintptr_t, uint64_t) override { return Unasked(); }
  Status Map(uintptr_t, uint64_t, UniqueFd, Access) override { return Unasked(); }
  Status Unmap(uintptr_t, uint64_t) override { return Unasked(); }
  Status Protect(uintptr_t, uint64_t, Access) override { return Unasked(); }
  Result<UniqueFd> CreateLocal(uint64_t) override { return Unasked(); }
  Status Synchronize() override { return {}; }
  bool host_accessible() const override { return false; }
  Status CopyFromHost(uintptr_t, const void*, uint64_t) override { return Unasked(); }
  Status CopyToHost(void*, uintptr_t, uint64_t) override { return Unasked(); }

 private:
  static Status Unasked() { return InternalError("nobody should ask"); }

  DeviceFacts facts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t pinned_ = 0;
  uint64_t unpinned_ = 0;
};

// D07: slots are made and pinned with the engine, before there is anything to restore.
TEST(TransferEngine, GetsReadyBeforeItHasWork) {
  PinCounter space;
  const TransferEngine engine({.workers = 1, .depth = 2, .slot_bytes = kChunk, .pin_with = &space});
  space.AwaitPinned();
}

// W-38: what is pinned is a budget of all workers, whatever depth was asked for.
TEST(TransferEngine, KeepsToItsBudgetOfStaging) {
  for (const uint64_t slots : {1, 4}) {
    PinCounter space;
    {
      // With a single slot it still gets through, one after another.
      TransferEngine engine({.workers = 1,
                             .depth = 32,
                             .staging_bytes = slots * kChunk,
                             .slot_bytes = kChunk,
                             .pin_with = &space});
      FakeDeviceMemory memory(8 * kChunk);
      std::vector<ChunkRecord> records(8);
      const auto transfer = engine.Begin({.direction = Direction::kDigest, .records = records});
      std::vector<Piece> pieces;
      for (uint64_t i = 0; i < 8; ++i) {
        pieces.push_back(
            {.memory = &memory, .memory_offset = i * kChunk, .bytes = kChunk, .chunk = i});
      }
      transfer->Add(0, pieces);
      EXPECT_OK(transfer->Finish(RealClock(), WaitLimit::Forever()));
      EXPECT_EQ(transfer->bytes_done(), 8 * kChunk);
    }
    EXPECT_EQ(space.pinned(), slots * kChunk);
    EXPECT_EQ(space.unpinned(), space.pinned());
  }
}

}  // namespace
}  // namespace hearth::gms::storage
