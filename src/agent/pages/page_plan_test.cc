#include "agent/pages/page_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/pages/page_file_sizes.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "snapshot/images/testing/sample_images.h"

namespace hearth::agent {
namespace {

using snapshot::images::ImageFolder;
using snapshot::images::ImageOf;
using snapshot::images::MessageWriter;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint64_t kPage = 4096;
constexpr uint32_t kPresent = 4, kLazy = 2;
constexpr uint32_t kTree = 0x50273030, kMemory = 0x57492820, kPagemap = 0x56084025,
                   kMemfds = 0x48453499, kFiles = 0x56303138;
constexpr uint32_t kAnonymousShared = 1U << 8U, kMemfd = 1U << 14U;

MATCHER_P4(Piece, offset, bytes, address, target, "") {
  return arg.offset == static_cast<uint64_t>(offset) && arg.bytes == static_cast<uint64_t>(bytes) &&
         arg.address == static_cast<uint64_t>(address) && arg.target == static_cast<size_t>(target);
}

struct PageRow {
  uint64_t address;
  uint64_t pages;
  uint32_t flags;
};
struct Area {
  uint64_t start;
  uint64_t pages;
  uint64_t object;
  uint32_t flags;
  uint32_t status;
};

class PagePlanTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& bytes) {
    ASSERT_OK(RealFileSystem().Write(directory_ / name, bytes, 0600));
  }
  void WritePagemap(const std::string& name, uint32_t file, const std::vector<PageRow>& runs) {
    std::vector<std::string> entries = {MessageWriter().Number(1, file).Take()};
    for (const PageRow& run : runs) {
      entries.push_back(MessageWriter()
                            .Number(1, run.address)
                            .Number(2, run.pages)
                            .Number(4, run.flags)
                            .Number(5, run.pages)
                            .Take());
    }
    Write("pagemap-" + name + ".img", ImageOf(kPagemap, entries));
  }
  void AddProcess(uint32_t pid, uint32_t parent, const std::vector<PageRow>& runs,
                  const std::vector<Area>& areas = {}) {
    tree_.push_back(MessageWriter().Number(1, pid).Number(2, parent).Take());
    Write("pstree.img", ImageOf(kTree, tree_));
    MessageWriter memory;
    for (const Area& area : areas) {
      memory.Bytes(14, MessageWriter()
                           .Number(1, area.start)
                           .Number(2, area.start + area.pages * kPage)
                           .Number(4, area.object)
                           .Number(6, area.flags)
                           .Number(7, area.status)
                           .Take());
    }
    Write("mm-" + std::to_string(pid) + ".img", ImageOf(kMemory, {memory.Take()}));
    WritePagemap(std::to_string(pid), pid, runs);
  }
  void WriteMemfd(uint32_t file, uint32_t inode, uint32_t pages, uint32_t seals) {
    Write("memfd.img",
          ImageOf(kMemfds,
                  {MessageWriter().Number(5, pages).Number(6, seals).Number(7, inode).Take()}));
    Write("files.img", ImageOf(kFiles, {MessageWriter()
                                            .Number(1, 18)
                                            .Number(2, file)
                                            .Bytes(20, MessageWriter().Number(5, inode).Take())
                                            .Take()}));
  }
  Result<PagePlan> Plan() {
    ASSIGN_OR_RETURN(const auto folder, ImageFolder::Open(directory_.path()));
    return PlanPages(folder);
  }

  TempDirectory directory_;
  std::vector<std::string> tree_;
};

TEST_F(PagePlanTest, PagesThatAreNotOursStillCountInTheFile) {
  AddProcess(7, 0,
             {{0x1000, 2, kPresent | kLazy},
              {0x9000, 1, kPresent},  // CRIU's
              {0xb000, 4, kLazy},     // not saved
              {0x20000, 3, kPresent | kLazy}});
  ASSERT_OK_AND_ASSIGN(const PagePlan plan, Plan());
  EXPECT_THAT(plan.left_to_criu, IsEmpty());
  EXPECT_THAT(plan.processes, ElementsAre(7U));
  ASSERT_THAT(plan.files, SizeIs(1));
  EXPECT_EQ(plan.files[0].name, "pages-7.img");
  EXPECT_THAT(plan.files[0].pieces,
              ElementsAre(Piece(0, 2 * kPage, 0x1000, 0), Piece(3 * kPage, 3 * kPage, 0x20000, 0)));
  size_t file = 9;
  const PagePiece* const piece = plan.Find(0, 0x22000, file);
  ASSERT_NE(piece, nullptr);
  EXPECT_EQ(piece->address, 0x20000U);
  EXPECT_EQ(file, 0U);
  EXPECT_EQ(plan.Find(0, 0x9000, file), nullptr);
  EXPECT_EQ(plan.Find(1, 0x1000, file), nullptr);
}

TEST_F(PagePlanTest, PageFilesThatAreTooShortAreDamage) {
  AddProcess(7, 0, {{0x1000, 2, kPresent}, {0xb000, 4, kLazy}, {0x20000, 3, kPresent | kLazy}});
  ASSERT_OK_AND_ASSIGN(const auto folder, ImageFolder::Open(directory_.path()));
  EXPECT_OK(CheckPageFileSizes(folder, {.files = {{.name = "pages-7.img", .bytes = 5 * kPage}}}));
  const Status cut =
      CheckPageFileSizes(folder, {.files = {{.name = "pages-7.img", .bytes = 5 * kPage - 1}}});
  EXPECT_EQ(cut.code(), Code::kDataLoss);
  EXPECT_THAT(cut.message(), HasSubstr("pages-7.img has 20479 bytes"));
  EXPECT_THAT(CheckPageFileSizes(folder, {}).message(), HasSubstr("pages-7.img is missing"));
}

TEST(PageFile, CoversWhatItsPiecesHoldTogether) {
  const PageFile file{
      "pages-1.img",
      {{0, 2 * kPage, 0, 0}, {2 * kPage, kPage, 0x9000, 0}, {5 * kPage, 2 * kPage, 0x20000, 0}}};
  EXPECT_TRUE(file.Covers(0, 3 * kPage));
  EXPECT_TRUE(file.Covers(kPage, 2 * kPage));
  EXPECT_FALSE(file.Covers(0, 4 * kPage));
  EXPECT_FALSE(file.Covers(3 * kPage, 4 * kPage));
  EXPECT_FALSE(file.Covers(4 * kPage, 6 * kPage));
  EXPECT_TRUE(file.Covers(5 * kPage, 7 * kPage));
  EXPECT_FALSE(file.Covers(6 * kPage, 8 * kPage));
  EXPECT_TRUE(file.Covers(9 * kPage, 9 * kPage));
}

TEST_F(PagePlanTest, LargeMemoryThatForkedProcessesShareIsCrius) {
  const uint64_t pages = (80ULL << 20U) / kPage;
  AddProcess(1, 0, {{0x1000, 1, kPresent | kLazy}, {0x100000, pages, kPresent | kLazy}});
  AddProcess(2, 1, {{0x100000 + kPage, pages, kPresent | kLazy}});
  ASSERT_OK_AND_ASSIGN(const PagePlan plan, Plan());
  EXPECT_THAT(plan.left_to_criu, HasSubstr("79 MiB in common"));
}

TEST_F(PagePlanTest, ALittleMayBeThereTwiceAndBrothersShareNothing) {
  const uint64_t pages = (80ULL << 20U) / kPage;
  AddProcess(1, 0, {{0x1000, 64, kPresent | kLazy}});
  AddProcess(2, 1, {{0x1000, 64, kPresent | kLazy}, {0x100000, pages, kPresent | kLazy}});
  AddProcess(3, 1, {{0x100000, pages, kPresent | kLazy}});
  ASSERT_OK_AND_ASSIGN(const PagePlan plan, Plan());
  EXPECT_THAT(plan.left_to_criu, IsEmpty());
  EXPECT_THAT(plan.processes, ElementsAre(1U, 2U, 3U));
}

TEST_F(PagePlanTest, SharedMemoryIsFilledThroughWhoeverHasItMapped) {
  AddProcess(5, 0, {{0x1000, 1, kPresent | kLazy}}, {{0x700000, 16, 77, 1, kAnonymousShared}});
  WritePagemap("shmem-77", 9, {{0, 2, kPresent}, {8 * kPage, 4, kPresent}});
  ASSERT_OK_AND_ASSIGN(const PagePlan plan, Plan());
  ASSERT_THAT(plan.shared, SizeIs(1));
  EXPECT_EQ(plan.shared[0].process, 5U);
  EXPECT_EQ(plan.shared[0].mapped_at, 0x700000U);
  EXPECT_EQ(plan.shared[0].bytes, 12 * kPage);
  ASSERT_THAT(plan.files, SizeIs(2));
  EXPECT_THAT(plan.files[1].pieces,
              ElementsAre(Piece(0, 2 * kPage, 0, 1), Piece(2 * kPage, 4 * kPage, 8 * kPage, 1)));
}

TEST_F(PagePlanTest, OfMemfdsToo) {
  AddProcess(5, 0, {}, {{0x700000, 16, 33, 1, kMemfd}});
  WritePagemap("shmem-77", 9, {{0, 2, kPresent}});
  WriteMemfd(33, 4, 77, 0);
  ASSERT_OK_AND_ASSIGN(const PagePlan plan, Plan());
  EXPECT_THAT(plan.shared, SizeIs(1));
}

TEST_F(PagePlanTest, SharedMemoryThatCannotBeWrittenFoundOrSplitIsCrius) {
  constexpr uint32_t kHuge = 0x40000, kSealWrite = 8;
  AddProcess(5, 0, {},
             {{0x700000, 16, 33, 1, kMemfd}, {0x900000, 512, 78, 1 | kHuge, kAnonymousShared}});
  WritePagemap("shmem-77", 9, {{0, 2, kPresent}});   // a sealed memfd
  WritePagemap("shmem-78", 10, {{0, 2, kPresent}});  // huge pages
  WritePagemap("shmem-79", 11, {{0, 2, kPresent}});  // mapped by nobody
  WriteMemfd(33, 4, 77, kSealWrite);
  ASSERT_OK_AND_ASSIGN(const PagePlan plan, Plan());
  EXPECT_THAT(plan.shared, IsEmpty());
  EXPECT_THAT(plan.files[0].pieces, IsEmpty());
}

TEST_F(PagePlanTest, OneThatHadEndedHasNoMemory) {
  AddProcess(1, 0, {{0x1000, 1, kPresent | kLazy}});
  tree_.push_back(MessageWriter().Number(1, 2).Number(2, 1).Take());
  Write("pstree.img", ImageOf(kTree, tree_));
  ASSERT_OK_AND_ASSIGN(const PagePlan plan, Plan());
  EXPECT_THAT(plan.processes, ElementsAre(1U));
}

TEST_F(PagePlanTest, WhatIsNoImageIsDataLoss) {
  AddProcess(1, 0, {{0x1000, 1, kPresent | kLazy}});
  Write("pagemap-1.img", "garbage");
  EXPECT_CODE(Code::kDataLoss, Plan());
}

}  // namespace
}  // namespace hearth::agent
