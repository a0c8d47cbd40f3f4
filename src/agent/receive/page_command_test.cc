#include "agent/receive/page_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/receive/pagemap_image.h"
#include "agent/receive/testing/sent_pages.h"
#include "base/testing/status_matchers.h"

namespace hearth::agent::receive {
namespace {

using testing::HasSubstr;

TEST(PageCommand, AnOpenedImageIsOfAProcessOrOfSharedMemory) {
  ASSERT_OK_AND_ASSIGN(const Command process, DecodeCommand(Sent(4, 0, 0, 0, 17U << 8U | 1U)));
  EXPECT_EQ(process.verb, Command::Verb::kOpen);
  EXPECT_TRUE(process.answered);
  EXPECT_EQ(process.owner.PagemapName(), "pagemap-17.img");
  ASSERT_OK_AND_ASSIGN(const Command shared, DecodeCommand(Sent(3, 0, 0, 0, 17U << 8U | 2U)));
  EXPECT_FALSE(shared.answered);
  EXPECT_EQ(shared.owner.PagemapName(), "pagemap-shmem-17.img");
}

TEST(PageCommand, AnAdditionSaysWhichPagesAndWhetherTheyFollow) {
  ASSERT_OK_AND_ASSIGN(const Command added,
                       DecodeCommand(Sent(6, kPresent | 2U, 3, 0x7000, 1U << 8U | 1U)));
  EXPECT_EQ(added.verb, Command::Verb::kAdd);
  EXPECT_EQ(added.flags, kPresent | 2U);
  EXPECT_EQ(added.pages, 3U);
  EXPECT_EQ(added.address, 0x7000U);
  ASSERT_OK_AND_ASSIGN(const Command old, DecodeCommand(Sent(1, 0, 3, 0x7000, 1U << 8U | 1U)));
  EXPECT_EQ(old.flags, kPresent);
}

TEST(PageCommand, TheEndIsOfNobody) {
  for (const uint32_t number : {0x1023U, 0x1024U}) {
    ASSERT_OK_AND_ASSIGN(const Command end, DecodeCommand(Sent(number, 0, 0, 0, 0)));
    EXPECT_EQ(end.verb, Command::Verb::kEnd);
  }
}

TEST(PageCommand, WhatMakesNoSenseIsRefused) {
  const uint64_t owner = 1U << 8U | 1U;
  EXPECT_CODE(Code::kDataLoss, DecodeCommand(Sent(99, 0, 1, 0, owner)));
  EXPECT_CODE(Code::kDataLoss, DecodeCommand(Sent(6, kPresent, 1, 0, 1U << 8U | 9U)));
  EXPECT_CODE(Code::kDataLoss, DecodeCommand(Sent(6, kPresent, 0, 0, owner)));
  EXPECT_CODE(Code::kDataLoss, DecodeCommand(Sent(6, kPresent, 1ULL << 52U, 0, owner)));
  EXPECT_THAT(DecodeCommand(Sent(6, kInParent, 1, 0, owner)).status().ToString(),
              HasSubstr("older capture"));
  EXPECT_CODE(Code::kDataLoss, DecodeCommand(Sent(2, 0, 1, 0, owner)));
}

TEST(PagemapImage, IsWhatCriuWrites) {
  PagemapImage image(3);
  image.Add(0x400000, 300, kPresent);
  const std::string expected(
      "\x19\x43\x56\x54\x25\x40\x08\x56"  // an image, a pagemap
      "\x02\0\0\0\x08\x03"                // the other image's number
      "\x0c\0\0\0\x08\x80\x80\x80\x02\x10\0\x20\x04\x28\xac\x02",
      8 + 6 + 16);
  EXPECT_EQ(image.bytes(), expected);
}

}  // namespace
}  // namespace hearth::agent::receive
