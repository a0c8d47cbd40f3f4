#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "base/testing/status_matchers.h"
#include "gms/device/host_device.h"
#include "gms/device/testing/kernel_setting.h"

// Kinds of pages. What needs settings of the kernel changes them and puts them back; without the
// right to do so those tests are skipped, and the rest of the suite does not depend on them.
namespace hearth::gms {
namespace {

constexpr uint64_t kStep = 2ULL << 20;
constexpr char kSharedSetting[] = "/sys/kernel/mm/transparent_hugepage/shmem_enabled";

// NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers in this interface
char* At(uintptr_t address) { return reinterpret_cast<char*>(address); }

// A number of kilobytes of the mapping at `address`, as the kernel tells it.
int64_t OfMapping(uintptr_t address, const std::string& field) {
  std::ifstream maps("/proc/self/smaps");
  char start[32];
  std::snprintf(start, sizeof(start), "%lx-", address);
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') != std::string::npos && line.find('-') < line.find(' ')) {
      inside = line.starts_with(start);
    } else if (inside && line.starts_with(field + ":")) {
      return std::atoll(line.c_str() + field.size() + 1);
    }
  }
  return -1;
}

struct Mapped {
  std::unique_ptr<Device> device;
  std::unique_ptr<AddressSpace> space;
  uintptr_t address = 0;
};

Mapped MapOnePiece(const HostDeviceOptions& options) {
  auto device = OpenHostDevice(options);
  CHECK(device.ok()) << device.status().ToString();
  auto piece = (*device)->Create(kStep);
  CHECK(piece.ok()) << piece.status().ToString();
  auto fd = (*device)->Export(*piece, Access::kReadWrite);
  CHECK(fd.ok());
  auto space = OpenHostAddressSpace((*device)->facts());
  auto address = space->Reserve(kStep, kStep);
  CHECK(address.ok());
  Status mapped = space->Map(*address, kStep, std::move(*fd), Access::kReadWrite);
  CHECK(mapped.ok()) << mapped.ToString();
  return {std::move(*device), std::move(space), *address};
}

TEST(HostPages, SmallPagesComeOneByOne) {
  Mapped piece = MapOnePiece({.budget_bytes = kStep});
  *At(piece.address) = 1;
  EXPECT_LT(OfMapping(piece.address, "Rss"), 2048);
}

TEST(HostPages, HugePagesAreSetAsideForTheWholePieceOrItIsNotMade) {
  auto pool = HugePagePool::Reserve(3);
  if (!pool.ok()) {
    GTEST_SKIP() << pool.status().message();
  }
  HostDeviceOptions options{.budget_bytes = 64 * kStep, .pages = HostPages::kHuge2M};
  ASSERT_OK_AND_ASSIGN(auto device, OpenHostDevice(options));
  // More than the machine has: known now, not when a client is killed by its first touch.
  EXPECT_CODE(Code::kExhausted, device->Create(64 * kStep));
  EXPECT_EQ(device->FreeBytes().value_or(0), 64 * kStep);
  ASSERT_OK_AND_ASSIGN(Device::Handle two, device->Create(2 * kStep));
  ASSERT_OK(device->Create(kStep));
  device->Release(two);
  EXPECT_OK(device->Create(2 * kStep));
}

TEST(HostPages, HugePagesKeepThePromisesOfSmallOnes) {
  auto pool = HugePagePool::Reserve(2);
  if (!pool.ok()) {
    GTEST_SKIP() << pool.status().message();
  }
  Mapped piece = MapOnePiece({.budget_bytes = 2 * kStep, .pages = HostPages::kHuge2M});
  std::memcpy(At(piece.address), "huge", 4);
  EXPECT_EQ(OfMapping(piece.address, "KernelPageSize"), 2048);
  ASSERT_OK_AND_ASSIGN(Device::Handle sealed, piece.device->Create(kStep));
  ASSERT_OK(piece.device->Seal(sealed));
  ASSERT_OK_AND_ASSIGN(UniqueFd fd, piece.device->Export(sealed, Access::kReadWrite));
  EXPECT_CODE(Code::kAlreadyExists,
              piece.space->Map(piece.address, kStep, UniqueFd(::dup(fd.get())), Access::kRead));
  ASSERT_OK(piece.space->Unmap(piece.address, kStep));
  EXPECT_CODE(
      Code::kPermissionDenied,
      piece.space->Map(piece.address, kStep, UniqueFd(::dup(fd.get())), Access::kReadWrite));
  EXPECT_OK(piece.space->Map(piece.address, kStep, std::move(fd), Access::kRead));
}

TEST(HostPages, ReleasedHugePagesAreFreeWhenNobodyMapsThem) {
  auto pool = HugePagePool::Reserve(1);
  if (!pool.ok()) {
    GTEST_SKIP() << pool.status().message();
  }
  Mapped piece = MapOnePiece({.budget_bytes = kStep, .pages = HostPages::kHuge2M});
  piece.device->Release(1);
  EXPECT_CODE(Code::kExhausted, piece.device->Create(kStep));
  ASSERT_OK(piece.space->Unmap(piece.address, kStep));
  EXPECT_OK(piece.device->Create(kStep));
}

TEST(HostPages, TransparentHugePagesComeWhereTheKernelGivesThem) {
  auto setting = KernelSetting::Change(kSharedSetting, "advise");
  if (!setting.ok()) {
    GTEST_SKIP() << setting.status().message();
  }
  Mapped piece = MapOnePiece({.budget_bytes = kStep, .pages = HostPages::kTransparentHuge});
  *At(piece.address) = 1;
  EXPECT_EQ(OfMapping(piece.address, "ShmemPmdMapped"), 2048);
}

TEST(HostPages, PagesOfABoundPieceComeFromItsNodeInEveryProcess) {
  auto bound = OpenHostDevice({.budget_bytes = kStep, .numa_node = 0});
  if (bound.status().Is(Code::kUnsupported)) {
    GTEST_SKIP() << "this kernel has no NUMA nodes";
  }
  ASSERT_OK(bound);
  Mapped piece = MapOnePiece({.budget_bytes = kStep, .numa_node = 0});
  int policy = -1;
  unsigned long nodes[16] = {};  // NOLINT(google-runtime-int): the kernel's type
  ASSERT_EQ(
      ::syscall(SYS_get_mempolicy, &policy, nodes, sizeof(nodes) * 8, piece.address, MPOL_F_ADDR),
      0);
  EXPECT_EQ(policy, MPOL_BIND);
  EXPECT_EQ(nodes[0], 1UL);
}

}  // namespace
}  // namespace hearth::gms
