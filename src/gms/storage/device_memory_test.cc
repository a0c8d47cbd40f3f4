#include "gms/storage/device_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "base/testing/status_matchers.h"
#include "gms/device/host_device.h"

namespace hearth::gms::storage {
namespace {

constexpr uint64_t kBytes = 64 << 10;

// Each page of a mapping would be given to the disk and taken away again one by one.
TEST(DeviceMemory, SmallPagesAreNeitherMappedToBeReadNorToBeWritten) {
  const auto space = OpenHostAddressSpace({.granularity = 4096});
  for (const Access access : {Access::kRead, Access::kReadWrite}) {
    ASSERT_OK_AND_ASSIGN(UniqueFd piece, space->CreateLocal(kBytes));
    ASSERT_EQ(::pwrite(piece.get(), "weights", 7, 100), 7);
    ASSERT_OK_AND_ASSIGN(const auto memory, ReachMemory(*space, std::move(piece), kBytes, access));
    EXPECT_EQ(memory->address(), nullptr);
    std::array<std::byte, 7> read{};
    ASSERT_OK(memory->Get(100, read.data(), read.size()));
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(read.data()), read.size()), "weights");
  }
}

}  // namespace
}  // namespace hearth::gms::storage
