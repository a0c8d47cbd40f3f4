#include "agent/pages/page_filler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <fstream>
#include <future>

#include "agent/pages/userfault.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "snapshot/artifact/testing/sample_artifact.h"

namespace hearth::agent {
namespace {

using testing::HasSubstr;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kChunk = snapshot::kDefaultChunkBytes;
constexpr int kPid = 42;

// Memory of this process, with all its pages missing.
class MissingMemory {
 public:
  explicit MissingMemory(uint64_t bytes) : bytes_(bytes) {
    memory_ = static_cast<char*>(
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    faults_ = std::move(userfault::Open().value());
    EXPECT_OK(userfault::Register(faults_.get(), address(), bytes));
  }
  ~MissingMemory() { ::munmap(memory_, bytes_); }
  MissingMemory(const MissingMemory&) = delete;
  MissingMemory& operator=(const MissingMemory&) = delete;

  uint64_t address() const { return reinterpret_cast<uint64_t>(memory_); }
  char* data() const { return memory_; }
  UniqueFd TakeFaults() { return std::move(faults_); }

 private:
  uint64_t bytes_;
  char* memory_;
  UniqueFd faults_;
};

// What CRIU does on the other side of the socket.
UniqueFd ConnectAsCriu(const std::string& directory) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (directory + "/lazy-pages.socket").c_str(),
               sizeof(address.sun_path) - 1);
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  return socket;
}

void SendMemory(int socket, int pid, int faults) {
  ASSERT_EQ(::send(socket, &pid, sizeof(pid), 0), static_cast<ssize_t>(sizeof(pid)));
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &faults, sizeof(faults));
  ASSERT_EQ(::sendmsg(socket, &message, 0), 1);
}

class PageFillerTest : public testing::Test {
 protected:
  // Three chunks, the second of zeros, and a part of a fourth.
  void SetUp() override {
    bytes_.resize(3 * kChunk + 5 * kPage);
    for (size_t i = 0; i < bytes_.size(); ++i) {
      const bool zero = i >= kChunk && i < 2 * kChunk;
      bytes_[i] = zero ? '\0' : static_cast<char>(i * 2654435761U >> 13U);
    }
    ASSERT_OK_AND_ASSIGN(layout_, snapshot::StorageLayout::Create(storage_.path()));
    ASSERT_OK(snapshot::PublishSample(RealFileSystem(), *layout_, snapshot::SampleManifest("id"),
                                      {{"pages-1.img", bytes_}})
                  .status());
  }
  Result<snapshot::Artifact> Open() {
    return snapshot::Artifact::Open(*layout_->Artifact("id", "1"));
  }
  PagePlan Plan(uint64_t address) const {
    PagePlan plan;
    plan.processes = {kPid};
    // All but the last page, in two pieces that meet in the middle of a chunk.
    const uint64_t half = kChunk / 2;
    plan.files = {
        {"pages-1.img",
         {{0, half, address, 0}, {half, bytes_.size() - half - kPage, address + half, 0}}}};
    return plan;
  }

  TempDirectory storage_;
  TempDirectory work_;
  std::optional<snapshot::StorageLayout> layout_;
  std::string bytes_;
};

TEST_F(PageFillerTest, PutsEveryPageWhereItBelongs) {
  ASSERT_OK_AND_ASSIGN(const auto artifact, Open());
  MissingMemory memory(bytes_.size());
  ASSERT_OK_AND_ASSIGN(const auto filler, PageFiller::Begin(artifact, Plan(memory.address()),
                                                            work_.path(), WaitLimit::Forever()));
  const UniqueFd criu = ConnectAsCriu(work_.path());
  SendMemory(criu.get(), kPid, memory.TakeFaults().get());
  // Somebody cannot wait: for a page that is there, one of zeros, and one that is not.
  auto early = std::async(std::launch::async, [&] {
    return std::string{memory.data()[3 * kChunk + 1], memory.data()[kChunk],
                       memory.data()[bytes_.size() - 1]};
  });
  EXPECT_EQ(early.get(), (std::string{bytes_[3 * kChunk + 1], '\0', '\0'}));
  ASSERT_OK(filler->Finish(0));
  EXPECT_EQ(std::memcmp(memory.data(), bytes_.data(), bytes_.size() - kPage), 0);
  // From here on it is memory as any other.
  memory.data()[bytes_.size() - 1] = 'x';
}

TEST_F(PageFillerTest, APieceMayLieInSeveralMappings) {
  ASSERT_OK_AND_ASSIGN(const auto artifact, Open());
  MissingMemory memory(bytes_.size());
  for (const uint64_t at : {kPage, 3 * kPage, kChunk + 7 * kPage}) {
    ASSERT_EQ(::mprotect(memory.data() + at, kPage, PROT_READ), 0);
  }
  ASSERT_OK_AND_ASSIGN(const auto filler, PageFiller::Begin(artifact, Plan(memory.address()),
                                                            work_.path(), WaitLimit::Forever()));
  const UniqueFd criu = ConnectAsCriu(work_.path());
  SendMemory(criu.get(), kPid, memory.TakeFaults().get());
  const char early = memory.data()[0];  // so that it was handed over for certain
  static_cast<void>(early);
  ASSERT_OK(filler->Finish(0));
  EXPECT_EQ(std::memcmp(memory.data(), bytes_.data(), bytes_.size() - kPage), 0);
}

TEST_F(PageFillerTest, DamageIsNamedEvenWhereNothingIsOurs) {
  ASSERT_OK_AND_ASSIGN(const auto artifact, Open());
  {
    std::fstream file(artifact.directory() + "/pages-1.img",
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(bytes_.size() - 3));
    file.put(static_cast<char>(~bytes_[bytes_.size() - 3]));
  }
  MissingMemory memory(bytes_.size());
  ASSERT_OK_AND_ASSIGN(const auto filler, PageFiller::Begin(artifact, Plan(memory.address()),
                                                            work_.path(), WaitLimit::Forever()));
  const UniqueFd criu = ConnectAsCriu(work_.path());
  SendMemory(criu.get(), kPid, memory.TakeFaults().get());
  const char early = memory.data()[0];  // CRIU goes on all the same
  static_cast<void>(early);
  const Status finished = filler->Finish(0);
  EXPECT_TRUE(finished.Is(Code::kDataLoss));
  EXPECT_THAT(finished.message(), HasSubstr("pages-1.img: chunk 3"));
}

TEST_F(PageFillerTest, AProcessThatNeverCameIsAnError) {
  ASSERT_OK_AND_ASSIGN(const auto artifact, Open());
  ASSERT_OK_AND_ASSIGN(const auto filler, PageFiller::Begin(artifact, Plan(0x1000), work_.path(),
                                                            WaitLimit::Forever()));
  EXPECT_THAT(filler->Finish(0).message(), HasSubstr("process 42"));
}

TEST_F(PageFillerTest, GoesWithoutHavingFinished) {
  ASSERT_OK_AND_ASSIGN(const auto artifact, Open());
  MissingMemory memory(bytes_.size());
  {
    ASSERT_OK_AND_ASSIGN(const auto filler, PageFiller::Begin(artifact, Plan(memory.address()),
                                                              work_.path(), WaitLimit::Forever()));
    const UniqueFd criu = ConnectAsCriu(work_.path());
    SendMemory(criu.get(), kPid, memory.TakeFaults().get());
  }
  EXPECT_EQ(::access((work_.path() + "/lazy-pages.socket").c_str(), F_OK), -1);
}

}  // namespace
}  // namespace hearth::agent
