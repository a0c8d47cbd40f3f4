#include "agent/files/list_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "agent/files/save_files.h"
#include "agent/files/testing/raw_tar.h"
#include "agent/files/testing/tree.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

namespace fs = std::filesystem;
using files::OpenDirectory;
using files::RawTar;
using files::RawTarEnd;
using files::WriteFile;

TEST(ListFiles, TellsWhatIsInTheArchive) {
  const TempDirectory upper;
  const TempDirectory images;
  WriteFile(upper / "f", "12345");
  fs::permissions(upper / "f", fs::perms(04755));
  fs::create_hard_link(upper / "f", upper / "g");
  ASSERT_OK(SaveFiles(OpenDirectory(upper.path()).get(), OpenDirectory(images.path()).get(), {},
                      WaitLimit::Forever()));
  ASSERT_OK_AND_ASSIGN(const auto entries,
                       ListFiles(OpenDirectory(images.path()).get(), WaitLimit::Forever()));
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].kind, FileKind::kDirectory);
  EXPECT_EQ(entries[0].path, "");
  EXPECT_EQ(FileKindName(entries[1].kind), "file");
  EXPECT_EQ(entries[1].size, 5U);
  EXPECT_EQ(entries[1].mode, 04755U);
  EXPECT_EQ(entries[2].kind, FileKind::kHardLink);
  EXPECT_EQ(entries[2].target, entries[1].path);
}

TEST(ListFiles, OfNothingIsEmpty) {
  const TempDirectory images;
  ASSERT_OK_AND_ASSIGN(const auto none,
                       ListFiles(OpenDirectory(images.path()).get(), WaitLimit::Forever()));
  EXPECT_TRUE(none.empty());
}

TEST(ListFiles, AnArchiveThatWasCutOffBetweenTwoEntriesIsDamaged) {
  const TempDirectory images;
  const std::string whole = RawTar({.name = "./a", .bytes = "x"}) + RawTar({.name = "./b"});
  WriteFile(images / "rootfs-diff.tar", whole + RawTarEnd());
  EXPECT_OK(ListFiles(OpenDirectory(images.path()).get(), WaitLimit::Forever()));
  WriteFile(images / "rootfs-diff.tar", whole);
  EXPECT_CODE(Code::kDataLoss, ListFiles(OpenDirectory(images.path()).get(), WaitLimit::Forever()));
}

}  // namespace
}  // namespace hearth::agent
