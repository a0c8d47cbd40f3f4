#include "base/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace hearth {
namespace {

UniqueFd Open() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }
bool IsOpen(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFd, ClosesWhenItGoes) {
  int number = -1;
  {
    const UniqueFd fd = Open();
    number = fd.get();
    EXPECT_TRUE(fd.valid());
    EXPECT_TRUE(IsOpen(number));
  }
  EXPECT_FALSE(IsOpen(number));
}

TEST(UniqueFd, MovesItsDescriptor) {
  UniqueFd first = Open();
  UniqueFd second = Open();
  const int kept = first.get();
  const int dropped = second.get();
  second = std::move(first);
  EXPECT_EQ(second.get(), kept);
  EXPECT_FALSE(IsOpen(dropped));
  const UniqueFd third(std::move(second));
  EXPECT_EQ(third.get(), kept);
  EXPECT_TRUE(IsOpen(kept));
}

TEST(UniqueFd, ReleasedIsNotClosed) {
  UniqueFd fd = Open();
  UniqueFd same(fd.release());
  EXPECT_FALSE(fd.valid());
  fd.reset();
  EXPECT_TRUE(IsOpen(same.get()));
}

TEST(UniqueFd, DefaultHoldsNothing) {
  const UniqueFd fd;
  EXPECT_FALSE(fd.valid());
  EXPECT_EQ(fd.get(), -1);
}

}  // namespace
}  // namespace hearth
