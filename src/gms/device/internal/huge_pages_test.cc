#include "gms/device/internal/huge_pages.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::gms::internal {
namespace {

class KernelMemory : public ::testing::Test {
 protected:
  void Has(const std::string& name, const std::string& text) {
    std::string path = root_ / name;
    CHECK(RealFileSystem().MakeDirectories(path.substr(0, path.rfind('/')), 0755).ok());
    CHECK(RealFileSystem().Write(path, text, 0644).ok());
  }
  SharedHugePages Shared() { return TransparentSharedPages(RealFileSystem(), root_.path()); }
  Status Offered(HostPages pages) {
    return CheckPagesOffered(pages, RealFileSystem(), root_.path());
  }

  TempDirectory root_;
};

TEST(ChosenWord, IsTheOneInBrackets) {
  EXPECT_EQ(ChosenWord("always [madvise] never\n"), "madvise");
  EXPECT_EQ(ChosenWord("[always] never"), "always");
  EXPECT_EQ(ChosenWord("always never"), "");
  EXPECT_EQ(ChosenWord("] ["), "");
  EXPECT_EQ(ChosenWord(""), "");
}

TEST_F(KernelMemory, KernelWithoutTheSettingsGivesNothing) {
  EXPECT_EQ(Shared(), SharedHugePages::kNever);
  EXPECT_EQ(ReservedHuge2MBytes(RealFileSystem(), root_.path()), 0U);
}

TEST_F(KernelMemory, GeneralSettingDecidesWhereTheSizeDefersToIt) {
  Has("transparent_hugepage/shmem_enabled", "always within_size [advise] never deny force\n");
  EXPECT_EQ(Shared(), SharedHugePages::kOnAdvice);
  Has("transparent_hugepage/hugepages-2048kB/shmem_enabled", "always [inherit] never\n");
  EXPECT_EQ(Shared(), SharedHugePages::kOnAdvice);
  Has("transparent_hugepage/shmem_enabled", "always [within_size] advise never deny force\n");
  EXPECT_EQ(Shared(), SharedHugePages::kAlways);
}

TEST_F(KernelMemory, SettingOfTheSizeOverridesAndDenialOverridesAll) {
  Has("transparent_hugepage/hugepages-2048kB/shmem_enabled", "always inherit [advise] never\n");
  Has("transparent_hugepage/shmem_enabled", "always [never] deny\n");
  EXPECT_EQ(Shared(), SharedHugePages::kOnAdvice);
  Has("transparent_hugepage/shmem_enabled", "always never [deny]\n");
  EXPECT_EQ(Shared(), SharedHugePages::kNever);
}

TEST_F(KernelMemory, ReservedPagesAreCountedInBytes) {
  Has("hugepages/hugepages-2048kB/nr_hugepages", "12\n");
  EXPECT_EQ(ReservedHuge2MBytes(RealFileSystem(), root_.path()), 12ULL << 21);
}

TEST_F(KernelMemory, MissingPagesAreToldWithTheirCure) {
  EXPECT_OK(Offered(HostPages::kSmall));
  Status huge = Offered(HostPages::kHuge2M);
  EXPECT_CODE(Code::kUnavailable, huge);
  EXPECT_NE(huge.message().find("/proc/sys/vm/nr_hugepages"), std::string_view::npos);
  Status transparent = Offered(HostPages::kTransparentHuge);
  EXPECT_CODE(Code::kUnavailable, transparent);
  EXPECT_NE(transparent.message().find("shmem_enabled"), std::string_view::npos);

  Has("hugepages/hugepages-2048kB/nr_hugepages", "1\n");
  Has("transparent_hugepage/shmem_enabled", "[advise]\n");
  EXPECT_OK(Offered(HostPages::kHuge2M));
  EXPECT_OK(Offered(HostPages::kTransparentHuge));
}

}  // namespace
}  // namespace hearth::gms::internal
