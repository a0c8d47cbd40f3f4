#include "agent/receive/page_receiver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

#include "agent/receive/testing/sent_pages.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "disk/confined_file.h"

namespace hearth::agent::receive {
namespace {

using testing::HasSubstr;

constexpr uint64_t kProcess = 7U << 8U | 1U;
constexpr uint64_t kShared = 9U << 8U | 2U;

// The other side is a CRIU that says what the test wants.
class PageReceiverTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(const UniqueFd fd, disk::OpenDirectory(directory_.path()));
    ASSERT_OK_AND_ASSIGN(receiver_, PageReceiver::Begin(fd.get(), MakeDirectStore({})));
    criu_ = UniqueFd(::dup(receiver_->criu_end()));
    receiver_->HandedOver();
  }
  void Send(const std::string& bytes) {
    size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t count =
          ::send(criu_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      ASSERT_GT(count, 0);
      sent += static_cast<size_t>(count);
    }
  }
  // The bytes of an answer; fewer when the other side hung up.
  std::string Hear(size_t size) {
    std::string bytes(size, '?');
    const ssize_t count = ::recv(criu_.get(), bytes.data(), size, MSG_WAITALL);
    bytes.resize(count > 0 ? static_cast<size_t>(count) : 0);
    return bytes;
  }
  void Open(uint64_t owner) {
    Send(Sent(4, 0, 0, 0, owner));
    ASSERT_EQ(Hear(1), std::string(1, '\0'));
  }
  void Add(uint64_t owner, uint64_t address, const std::string& letters) {
    Send(Sent(6, kPresent, letters.size(), address, owner) + Pages(letters));
  }
  void End() {
    Send(Sent(0x1024, 0, 0, 0, 0));
    ASSERT_EQ(Hear(4), std::string(4, '\0'));
  }
  std::string Content(const std::string& name) {
    return RealFileSystem().Read(directory_ / name, 64 << 20).value_or("none");
  }

  TempDirectory directory_;
  UniqueFd criu_;
  std::unique_ptr<PageReceiver> receiver_;
};

TEST_F(PageReceiverTest, MakesTheImagesThatCriuWouldHaveMade) {
  Open(kProcess);
  Add(kProcess, 0x1000, "abc");
  Send(Sent(6, 2, 5, 0x10000, kProcess));  // known to be there, and not sent
  Add(kProcess, 0x20000, "d");
  Open(kShared);
  Add(kShared, 0, "xy");
  End();
  ASSERT_OK_AND_ASSIGN(const auto stored, receiver_->Finish());
  ASSERT_EQ(stored.size(), 2U);
  EXPECT_EQ(stored[0].file.name, "pages-1.img");
  EXPECT_EQ(stored[1].file.name, "pages-2.img");
  EXPECT_EQ(Content("pages-1.img"), Pages("abcd"));
  EXPECT_EQ(Content("pages-2.img"), Pages("xy"));
  PagemapImage own(1);
  own.Add(0x1000, 3, kPresent);
  own.Add(0x10000, 5, 2);
  own.Add(0x20000, 1, kPresent);
  EXPECT_EQ(Content("pagemap-7.img"), own.bytes());
  PagemapImage shared(2);
  shared.Add(0, 2, kPresent);
  EXPECT_EQ(Content("pagemap-shmem-9.img"), shared.bytes());
}

TEST_F(PageReceiverTest, ThereIsNoOlderImage) {
  Send(Sent(5, 0, 0, 0, kProcess));
  EXPECT_EQ(Hear(4), std::string(4, '\0'));
  End();
  ASSERT_OK_AND_ASSIGN(const auto stored, receiver_->Finish());
  EXPECT_TRUE(stored.empty());
}

TEST_F(PageReceiverTest, ACriuThatGoesInTheMiddleIsNotOurFailure) {
  Open(kProcess);
  Send(Sent(6, kPresent, 3, 0, kProcess) + Pages("a"));
  criu_.reset();
  EXPECT_CODE(Code::kUnavailable, receiver_->Finish());
  EXPECT_OK(receiver_->Cause());
}

TEST_F(PageReceiverTest, WithoutAnEndNothingIsFinished) {
  Open(kProcess);
  Add(kProcess, 0, "abc");
  criu_.reset();
  EXPECT_CODE(Code::kUnavailable, receiver_->Finish());
}

TEST_F(PageReceiverTest, HangsUpWhenItCannotGoOnAndSaysWhy) {
  std::filesystem::create_directory(directory_ / "pages-1.img");
  Send(Sent(4, 0, 0, 0, kProcess));
  EXPECT_EQ(Hear(1), "") << "hung up";
  EXPECT_THAT(receiver_->Cause().ToString(), HasSubstr("pages-1.img"));
}

TEST_F(PageReceiverTest, WhatItDoesNotUnderstandItRefuses) {
  Send(Sent(99, 0, 0, 0, kProcess));
  EXPECT_EQ(Hear(1), "");
  EXPECT_CODE(Code::kDataLoss, receiver_->Finish());
}

TEST_F(PageReceiverTest, PagesOfNoOpenedImageAreRefused) {
  Open(kProcess);
  Send(Sent(6, kPresent, 1, 0, kShared));
  EXPECT_EQ(Hear(1), "");
  EXPECT_THAT(receiver_->Finish().status().ToString(), HasSubstr("had not opened"));
}

TEST_F(PageReceiverTest, GoesWhileCriuIsStillConnected) {
  Open(kProcess);
  receiver_.reset();
  EXPECT_EQ(Hear(1), "");
}

}  // namespace
}  // namespace hearth::agent::receive
