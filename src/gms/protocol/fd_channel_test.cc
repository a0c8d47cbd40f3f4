#include "gms/protocol/fd_channel.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <vector>

#include "base/testing/status_matchers.h"

namespace hearth::gms {
namespace {

size_t OpenFds() {
  using Iterator = std::filesystem::directory_iterator;
  return static_cast<size_t>(std::distance(Iterator("/proc/self/fd"), Iterator()));
}

struct Pair {
  UniqueFd left, right;
};

Pair Connected(int flags = 0) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0, ends.data()), 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<UniqueFd> Memory(size_t count) {
  std::vector<UniqueFd> fds;
  for (size_t i = 0; i < count; ++i) {
    fds.emplace_back(::memfd_create("piece", MFD_CLOEXEC));
    EXPECT_EQ(::ftruncate(fds.back().get(), static_cast<off_t>(i + 1)), 0);
  }
  return fds;
}

// E01: what arrives is closed on exec.
TEST(FdChannel, CarriesAsManyDescriptorsAsTheKernelInOrder) {
  Pair pair = Connected();
  const auto fds = Memory(kMaxFds);
  ASSERT_OK(SendSome(pair.left.get(), "bytes", fds));
  std::array<char, 16> into{};
  std::deque<UniqueFd> received;
  auto got = ReceiveSome(pair.right.get(), into, received);
  ASSERT_OK(got);
  EXPECT_EQ(std::string_view(into.data(), got->bytes), "bytes");
  ASSERT_EQ(received.size(), kMaxFds);
  for (size_t i = 0; i < received.size(); ++i) {
    EXPECT_EQ(::lseek(received[i].get(), 0, SEEK_END), static_cast<off_t>(i + 1));
    EXPECT_EQ(::fcntl(received[i].get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  }
}

TEST(FdChannel, ReceivingBytesOnlyLeavesNoDescriptorBehind) {
  Pair pair = Connected();
  const auto fds = Memory(3);
  const size_t before = OpenFds();
  ASSERT_OK(SendSome(pair.left.get(), "x", fds));
  std::array<char, 4> into{};
  auto got = ReceiveBytes(pair.right.get(), into);
  ASSERT_OK(got);
  EXPECT_EQ(got->bytes, 1U);
  EXPECT_TRUE(got->refused_fds);
  EXPECT_EQ(OpenFds(), before);
}

TEST(FdChannel, DescriptorsThatTheLimitOfOpenFilesKeepsOutAreAnErrorAndNoLeak) {
  Pair pair = Connected();
  const auto fds = Memory(8);
  ASSERT_OK(SendSome(pair.left.get(), "x", fds));
  const size_t before = OpenFds();
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  const int highest = ::dup(pair.left.get());
  ::close(highest);
  rlimit tight = old;
  tight.rlim_cur = static_cast<rlim_t>(highest) + 3;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
  std::array<char, 4> into{};
  std::deque<UniqueFd> received;
  const auto got = ReceiveSome(pair.right.get(), into, received);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &old), 0);
  EXPECT_TRUE(got.status().Is(Code::kDataLoss));
  EXPECT_TRUE(received.empty());
  EXPECT_EQ(OpenFds(), before);
}

// W-04: neither side's flags are touched, and a blocking socket does not block.
TEST(FdChannel, NeverBlocksAndLeavesFlagsAlone) {
  Pair pair = Connected();
  std::array<char, 4> into{};
  auto got = ReceiveBytes(pair.right.get(), into);
  ASSERT_OK(got);
  EXPECT_TRUE(got->would_block);
  const std::string much(1U << 20, 'x');
  bool blocked = false;
  while (!blocked) {
    auto sent = SendSome(pair.left.get(), much, {});
    ASSERT_OK(sent);
    blocked = sent->would_block;
  }
  EXPECT_EQ(::fcntl(pair.left.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(FdChannel, APeerThatIsGoneIsToldApart) {
  Pair pair = Connected();
  pair.right.reset();
  EXPECT_TRUE(SendSome(pair.left.get(), "x", {}).status().Is(Code::kUnavailable));
  std::array<char, 4> into{};
  auto got = ReceiveBytes(pair.left.get(), into);
  ASSERT_OK(got);
  EXPECT_TRUE(got->ended);
}

}  // namespace
}  // namespace hearth::gms
