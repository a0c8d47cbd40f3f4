#include "gms/device/host_device.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstring>

#include "base/testing/status_matchers.h"
#include "gms/device/testing/holder_process.h"

namespace hearth::gms {
namespace {

constexpr uint64_t kStep = 2ULL << 20;

std::unique_ptr<Device> Open(HostDeviceOptions options = {}) {
  if (options.budget_bytes == 0) {
    options.budget_bytes = 16 * kStep;
  }
  auto device = OpenHostDevice(options);
  CHECK(device.ok()) << device.status().ToString();
  return std::move(*device);
}

void* MapAs(const UniqueFd& fd, int protection) {
  return ::mmap(nullptr, kStep, protection, MAP_SHARED, fd.get(), 0);
}

bool Readable(int fd) {
  pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&ready, 1, 0) == 1;
}

// Asks for memory while the process may open nothing.
Status CreateWithoutDescriptors(Device& device) {
  rlimit before{};
  CHECK(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  CHECK(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  Status status = device.Create(kStep).status();
  CHECK(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  return status;
}

TEST(HostDevice, OptionsThatMakeNoSenseAreRefused) {
  EXPECT_CODE(Code::kInvalid, OpenHostDevice({.budget_bytes = kStep, .granularity = 1000}));
  EXPECT_CODE(Code::kInvalid, OpenHostDevice({.budget_bytes = kStep, .granularity = 3 * 4096}));
  EXPECT_CODE(Code::kInvalid, OpenHostDevice({.budget_bytes = kStep, .granularity = 0}));
  EXPECT_CODE(Code::kInvalid, OpenHostDevice({.budget_bytes = kStep - 1}));
  EXPECT_CODE(Code::kInvalid, OpenHostDevice({.ordinal = -1, .budget_bytes = kStep}));
  EXPECT_CODE(
      Code::kInvalid,
      OpenHostDevice({.budget_bytes = kStep, .granularity = 4096, .pages = HostPages::kHuge2M}));
}

TEST(HostDevice, WithoutABudgetItHasTheMachinesMemory) {
  ASSERT_OK_AND_ASSIGN(auto device, OpenHostDevice({}));
  EXPECT_GT(device->facts().total_bytes, 64 * kStep);
}

TEST(HostDevice, OrdinalsHaveNamesOfTheirOwn) {
  EXPECT_NE(HostDeviceUuid(0), HostDeviceUuid(1));
  EXPECT_EQ(Open({.ordinal = 3})->facts().uuid, HostDeviceUuid(3));
  EXPECT_EQ(Open({.uuid = "GPU-mine"})->facts().uuid, "GPU-mine");
}

TEST(HostDevice, ReadersCanNeitherWriteNorOpenTheFileForWriting) {
  auto device = Open();
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device->Create(kStep));
  ASSERT_OK_AND_ASSIGN(UniqueFd fd, device->Export(piece, Access::kRead));
  EXPECT_EQ(MapAs(fd, PROT_READ | PROT_WRITE), MAP_FAILED);
  EXPECT_LT(::write(fd.get(), "x", 1), 0);
  void* memory = MapAs(fd, PROT_READ);
  ASSERT_NE(memory, MAP_FAILED);
  EXPECT_NE(::mprotect(memory, kStep, PROT_READ | PROT_WRITE), 0);
  ::munmap(memory, kStep);
  // Root may open everything; for others it is the mode that keeps them from it.
  struct stat info {};
  ASSERT_EQ(::fstat(fd.get(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0400U);
}

TEST(HostDevice, LendingMakesNoDescriptorWhereThereIsOne) {
  auto device = Open();
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device->Create(kStep));
  ASSERT_OK_AND_ASSIGN(LentFd writable, device->Lend(piece, Access::kReadWrite));
  ASSERT_OK_AND_ASSIGN(LentFd reader, device->Lend(piece, Access::kRead));
  EXPECT_NE(writable->get(), reader->get());
  EXPECT_EQ(::fcntl(reader->get(), F_GETFL) & O_ACCMODE, O_RDONLY);
  ASSERT_OK(device->Seal(piece));
  ASSERT_OK_AND_ASSIGN(LentFd one, device->Lend(piece, Access::kReadWrite));
  ASSERT_OK_AND_ASSIGN(LentFd two, device->Lend(piece, Access::kRead));
  EXPECT_EQ(one->get(), two->get());
  EXPECT_EQ(::fcntl(one->get(), F_GETFL) & O_ACCMODE, O_RDONLY);
}

TEST(HostDevice, NobodyCanChangeTheSizeUnderOthers) {
  auto device = Open();
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device->Create(kStep));
  ASSERT_OK_AND_ASSIGN(UniqueFd fd, device->Export(piece, Access::kReadWrite));
  EXPECT_NE(::ftruncate(fd.get(), 0), 0);
  EXPECT_NE(::ftruncate(fd.get(), 2 * kStep), 0);
}

TEST(HostDevice, SealedPiecesTakeNoNewWriterAndOldOnesKeepTheirMapping) {
  auto device = Open();
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device->Create(kStep));
  ASSERT_OK_AND_ASSIGN(UniqueFd before, device->Export(piece, Access::kReadWrite));
  void* writer = MapAs(before, PROT_READ | PROT_WRITE);
  ASSERT_NE(writer, MAP_FAILED);
  ASSERT_OK(device->Seal(piece));

  EXPECT_EQ(MapAs(before, PROT_READ | PROT_WRITE), MAP_FAILED);
  ASSERT_OK_AND_ASSIGN(UniqueFd after, device->Export(piece, Access::kReadWrite));
  EXPECT_EQ(MapAs(after, PROT_READ | PROT_WRITE), MAP_FAILED);
  // Not even root gets around it by opening the file again.
  UniqueFd reopened(::open(("/proc/self/fd/" + std::to_string(after.get())).c_str(), O_RDWR));
  EXPECT_TRUE(!reopened.valid() || MapAs(reopened, PROT_READ | PROT_WRITE) == MAP_FAILED);

  void* reader = MapAs(after, PROT_READ);
  ASSERT_NE(reader, MAP_FAILED);
  std::memcpy(writer, "in flight", 9);
  EXPECT_EQ(std::memcmp(reader, "in flight", 9), 0);
  ::munmap(writer, kStep);
  ::munmap(reader, kStep);
}

TEST(HostDevice, APieceThatCanOnlyBeReadIsNotAdopted) {
  auto device = Open();
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device->Create(kStep));
  ASSERT_OK_AND_ASSIGN(UniqueFd fd, device->Export(piece, Access::kRead));
  EXPECT_CODE(Code::kInvalid, device->Adopt(std::move(fd), kStep));
  UniqueFd growing(::memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(growing.get(), kStep), 0);
  EXPECT_CODE(Code::kInvalid, device->Adopt(std::move(growing), kStep));
}

// During a hand-over two servers have it, and each seals what is committed.
TEST(HostDevice, WhatAnotherHasSealedMeanwhileIsSealed) {
  auto device = Open();
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device->Create(kStep));
  ASSERT_OK_AND_ASSIGN(UniqueFd fd, device->Export(piece, Access::kReadWrite));
  auto successor = Open();
  ASSERT_OK_AND_ASSIGN(Device::Handle adopted, successor->Adopt(std::move(fd), kStep));
  ASSERT_OK(successor->Seal(adopted));
  EXPECT_OK(device->Seal(piece));
  ASSERT_OK_AND_ASSIGN(LentFd one, device->Lend(piece, Access::kRead));
  ASSERT_OK_AND_ASSIGN(LentFd two, device->Lend(piece, Access::kRead));
  EXPECT_EQ(one->get(), two->get());
}

TEST(HostDevice, AdoptedMemoryCountsEvenBeyondTheBudget) {
  auto device = Open();
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device->Create(2 * kStep));
  auto successor = Open({.budget_bytes = 3 * kStep});
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK_AND_ASSIGN(UniqueFd fd, device->Export(piece, Access::kReadWrite));
    ASSERT_OK(successor->Adopt(std::move(fd), 2 * kStep));
  }
  EXPECT_EQ(successor->FreeBytes().value_or(1), 0U);
  EXPECT_CODE(Code::kExhausted, successor->Create(kStep));
}

TEST(HostDevice, SignalTellsThatAForeignHolderIsGone) {
  auto device = Open();
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device->Create(kStep));
  ASSERT_OK_AND_ASSIGN(UniqueFd fd, device->Export(piece, Access::kRead));
  HolderProcess holder(fd);
  fd.reset();
  device->Release(piece);
  EXPECT_FALSE(Readable(device->freed_signal()));
  holder.Kill();
  EXPECT_TRUE(Readable(device->freed_signal()));
  EXPECT_EQ(device->FreeBytes().value_or(0), 16 * kStep);
  EXPECT_FALSE(Readable(device->freed_signal()));
}

TEST(HostDevice, NoDescriptorsLeftIsTransientAndTellsTheCure) {
  auto device = Open();
  const Status status = CreateWithoutDescriptors(*device);
  EXPECT_CODE(Code::kExhausted, status);
  EXPECT_NE(status.message().find("RLIMIT_NOFILE"), std::string::npos) << status.message();
  EXPECT_EQ(device->FreeBytes().value_or(0), 16 * kStep);
}

// Whoever watches the signal tries again then; were it left, that would never end.
TEST(HostDevice, SignalIsOverOnceTheKernelHasRefusedMemory) {
  auto device = Open();
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device->Create(kStep));
  ASSERT_OK_AND_ASSIGN(UniqueFd fd, device->Export(piece, Access::kRead));
  device->Release(piece);
  fd.reset();
  ASSERT_TRUE(Readable(device->freed_signal()));
  EXPECT_CODE(Code::kExhausted, CreateWithoutDescriptors(*device));
  EXPECT_FALSE(Readable(device->freed_signal()));
}

TEST(HostDevice, NodeThatIsNotThereIsRefused) {
  EXPECT_CODE(Code::kInvalid, OpenHostDevice({.budget_bytes = kStep, .numa_node = 1023}));
  EXPECT_CODE(Code::kInvalid, OpenHostDevice({.budget_bytes = kStep, .numa_node = 5000}));
  EXPECT_CODE(Code::kInvalid, OpenHostDevice({.budget_bytes = kStep, .numa_node = -1}));
}

}  // namespace
}  // namespace hearth::gms
