#include "agent/files/apply_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>

#include "agent/files/path_list.h"
#include "agent/files/save_files.h"
#include "agent/files/testing/raw_tar.h"
#include "agent/files/testing/tree.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

namespace fs = std::filesystem;
using files::DescribeTree;
using files::Difference;
using files::Exists;
using files::OpenDirectory;
using files::RawTar;
using files::RawTarEnd;
using files::RawTarEntry;
using files::ReadFile;
using files::WriteFile;
using testing::HasSubstr;

class ApplyFilesTest : public testing::Test {
 protected:
  ApplyFilesTest() {
    for (const std::string& path : {upper_, images_, root_}) {
      fs::create_directory(path);
    }
  }
  void Save() {
    ASSERT_OK(SaveFiles(OpenDirectory(upper_).get(), OpenDirectory(images_).get(), {},
                        WaitLimit::Forever()));
  }
  Result<ApplyReport> Apply(const LeftOut& left_out = {}) {
    return ApplyFiles(OpenDirectory(images_).get(), OpenDirectory(root_).get(), left_out,
                      WaitLimit::Forever());
  }
  void Archive(const std::vector<RawTarEntry>& entries) {
    std::string archive;
    for (const RawTarEntry& entry : entries) {
      archive += RawTar(entry);
    }
    WriteFile(images_ + "/rootfs-diff.tar", archive + RawTarEnd());
  }
  void Deleted(const std::vector<std::string>& paths) {
    WriteFile(images_ + "/deleted-files.json", WritePathList(paths));
  }
  void ExpectRootIsUpper() { EXPECT_EQ(Difference(DescribeTree(upper_), DescribeTree(root_)), ""); }

  TempDirectory temporary_;
  const std::string upper_ = temporary_ / "upper";
  const std::string images_ = temporary_ / "images";
  const std::string root_ = temporary_ / "root";
};

void Sparse(const std::string& path, off_t size, const std::vector<off_t>& data) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  ASSERT_EQ(::ftruncate(fd.get(), size), 0);
  for (const off_t offset : data) {
    ASSERT_EQ(::pwrite(fd.get(), "data", 4, offset), 4);
  }
}

// A79: round trip restores content. W3: and everything else that a file has.
TEST_F(ApplyFilesTest, A79W3RoundTripRestoresContentAndMetadata) {
  fs::create_directories(upper_ + "/a/b");
  WriteFile(upper_ + "/a/f", "content");
  fs::permissions(upper_ + "/a/f", fs::perms(06711));
  ASSERT_EQ(::setxattr((upper_ + "/a/f").c_str(), "user.x=y%", "z\0w", 3, 0), 0);
  fs::create_hard_link(upper_ + "/a/f", upper_ + "/a/b/same");
  fs::create_symlink("../nowhere/\xff", upper_ + "/a/l");
  ASSERT_EQ(::mkfifo((upper_ + "/fifo").c_str(), 0620), 0);
  WriteFile(upper_ + "/" + std::string(200, 'n'), "long name");
  WriteFile(upper_ + "/bad\xff\nname", "x");
  WriteFile(upper_ + "/\xc3\xa4", "precomposed");
  WriteFile(upper_ + "/a\xcc\x88", "decomposed");
  const timespec times[2] = {{-3, 5}, {-3, 999'999'999}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (upper_ + "/a/f").c_str(), times, 0), 0);
  Save();
  ASSERT_OK_AND_ASSIGN(const ApplyReport report, Apply());
  EXPECT_EQ(report.placed, 8U);
  ExpectRootIsUpper();
}

// Enough for several threads to walk; names of one file are found by different ones.
TEST_F(ApplyFilesTest, ManyDirectoriesComeBackWithTheirLinks) {
  for (int i = 0; i < 40; ++i) {
    const std::string directory = upper_ + "/" + std::to_string(i);
    fs::create_directories(directory + "/below");
    for (int j = 0; j < 20; ++j) {
      WriteFile(directory + "/" + std::to_string(j), std::string(100 * j, 'x'));
    }
    if (i > 0) {
      fs::create_hard_link(upper_ + "/0/1", directory + "/below/shared");
    }
  }
  fs::create_directory(upper_ + "/wide");
  for (int i = 0; i < 700; ++i) {
    WriteFile(upper_ + "/wide/" + std::to_string(i), "x");
  }
  WriteFile(upper_ + "/wide/large", std::string(6 << 20, 'x'));
  Save();
  ASSERT_OK(Apply());
  ExpectRootIsUpper();
}

TEST_F(ApplyFilesTest, HolesStayHolesAndLargeFilesLarge) {
  Sparse(upper_ + "/large", (off_t{9} << 30) + 5, {off_t{8} << 30, 12'288});
  Sparse(upper_ + "/hole", 1 << 20, {});
  Sparse(upper_ + "/hole\xff\n", 1 << 20, {});
  Sparse(upper_ + "/begins", 1 << 20, {0});
  Sparse(upper_ + "/ends", 1 << 20, {(1 << 20) - 4});
  Save();
  EXPECT_LT(fs::file_size(images_ + "/rootfs-diff.tar"), 100'000U);
  ASSERT_OK(Apply());
  ExpectRootIsUpper();
}

// W2: a file of the image that was changed is replaced, not kept.
TEST_F(ApplyFilesTest, W2ChangedFilesOfTheImageAreReplaced) {
  WriteFile(upper_ + "/f", "changed");
  WriteFile(root_ + "/f", "of the image");
  WriteFile(root_ + "/other", "kept");
  Save();
  ASSERT_OK(Apply());
  EXPECT_EQ(ReadFile(root_ + "/f"), "changed");
  EXPECT_EQ(ReadFile(root_ + "/other"), "kept");
}

TEST_F(ApplyFilesTest, EqualFilesAreLeftAlone) {
  WriteFile(upper_ + "/f", "content");
  fs::create_symlink("target", upper_ + "/l");
  Sparse(upper_ + "/s", 1 << 20, {500'000});
  Save();
  ASSERT_OK(Apply());
  struct stat first {};
  ASSERT_EQ(::stat((root_ + "/f").c_str(), &first), 0);
  ASSERT_OK_AND_ASSIGN(const ApplyReport again, Apply());
  EXPECT_EQ(again.placed, 0U);
  EXPECT_EQ(again.unchanged, 3U);
  struct stat second {};
  ASSERT_EQ(::stat((root_ + "/f").c_str(), &second), 0);
  EXPECT_EQ(first.st_ino, second.st_ino);
}

TEST_F(ApplyFilesTest, ADifferenceThatOnlyBytesShowIsFound) {
  std::string content(3 << 20, 'x');
  WriteFile(upper_ + "/f", content);
  Sparse(upper_ + "/s", 1 << 20, {0, 900'000});
  Save();
  ASSERT_OK(Apply());
  for (const auto& [name, offset] : {std::pair("/f", (3 << 20) - 1), std::pair("/s", 500'000)}) {
    struct stat stat {};
    ASSERT_EQ(::stat((root_ + name).c_str(), &stat), 0);
    const UniqueFd fd(::open((root_ + name).c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::pwrite(fd.get(), "y", 1, offset), 1);
    const timespec times[2] = {stat.st_atim, stat.st_mtim};
    ASSERT_EQ(::futimens(fd.get(), times), 0);
  }
  ASSERT_OK_AND_ASSIGN(const ApplyReport again, Apply());
  EXPECT_EQ(again.placed, 2U);
  ExpectRootIsUpper();
}

TEST_F(ApplyFilesTest, KindsReplaceEachOther) {
  fs::create_directories(upper_ + "/was_file/d");
  WriteFile(upper_ + "/was_directory", "x");
  WriteFile(upper_ + "/was_link", "x");
  fs::create_directories(upper_ + "/was_link_too");
  WriteFile(root_ + "/was_file", "x");
  fs::create_directories(root_ + "/was_directory/full/of");
  WriteFile(temporary_ / "outside", "outside");
  fs::create_symlink(temporary_ / "outside", root_ + "/was_link");
  fs::create_symlink(temporary_.path(), root_ + "/was_link_too");
  Save();
  ASSERT_OK(Apply());
  ExpectRootIsUpper();
  EXPECT_EQ(ReadFile(temporary_ / "outside"), "outside");
}

// A78: apply deletes, ignores missing and blank ones, blocks traversal.
TEST_F(ApplyFilesTest, A78DeletesWhatIsListedAndNothingOutside) {
  fs::create_directories(root_ + "/tree/deep");
  WriteFile(root_ + "/tree/deep/f", "x");
  WriteFile(root_ + "/f", "x");
  WriteFile(root_ + "/kept", "x");
  WriteFile(temporary_ / "outside", "x");
  fs::create_directory(temporary_ / "elsewhere");
  WriteFile(temporary_ / "elsewhere/f", "x");
  fs::create_symlink(temporary_ / "elsewhere", root_ + "/link");
  Deleted(
      {"tree", "/f", "", ".", "missing", "kept/below", "../outside", "a/../../outside", "link/f"});
  ASSERT_OK_AND_ASSIGN(const ApplyReport report, Apply());
  EXPECT_EQ(report.removed, 4U);
  EXPECT_FALSE(Exists(root_ + "/tree"));
  EXPECT_FALSE(Exists(root_ + "/f"));
  EXPECT_TRUE(Exists(root_ + "/kept"));
  EXPECT_TRUE(Exists(temporary_ / "outside"));
  EXPECT_TRUE(Exists(temporary_ / "elsewhere/f"));
}

TEST_F(ApplyFilesTest, OpaqueDirectoriesKeepOnlyWhatIsInTheArchive) {
  fs::create_directories(upper_ + "/d/kept");
  WriteFile(upper_ + "/d/kept/mine", "x");
  ASSERT_EQ(::setxattr((upper_ + "/d").c_str(), "user.overlay.opaque", "y", 1, 0), 0);
  fs::create_directories(root_ + "/d/kept");
  fs::create_directories(root_ + "/d/gone/deep");
  WriteFile(root_ + "/d/kept/theirs", "x");
  WriteFile(root_ + "/d/cache.pyc", "x");
  WriteFile(root_ + "/beside", "x");
  Save();
  ASSERT_OK(Apply(LeftOut({"*.pyc"}, {})));
  EXPECT_TRUE(Exists(root_ + "/d/kept/mine"));
  EXPECT_FALSE(Exists(root_ + "/d/kept/theirs"));
  EXPECT_FALSE(Exists(root_ + "/d/gone"));
  EXPECT_TRUE(Exists(root_ + "/d/cache.pyc"));
  EXPECT_TRUE(Exists(root_ + "/beside"));
}

TEST_F(ApplyFilesTest, WhatIsLeftOutIsNotTouched) {
  fs::create_directories(root_ + "/volume");
  WriteFile(root_ + "/volume/f", "theirs");
  Archive({{.name = "./volume/f", .bytes = "ours"}, {.name = "./g", .bytes = "ours"}});
  Deleted({"volume/f"});
  ASSERT_OK_AND_ASSIGN(const ApplyReport report, Apply(LeftOut({}, {"/volume"})));
  EXPECT_EQ(report.left_alone, 1U);
  EXPECT_EQ(ReadFile(root_ + "/volume/f"), "theirs");
  EXPECT_EQ(ReadFile(root_ + "/g"), "ours");
}

// A79: missing and empty archives are nothing to do; garbage fails; errors other than absence are
// told.
TEST_F(ApplyFilesTest, A79NoArchiveOrAnEmptyOneIsNothingToDo) {
  ASSERT_OK(Apply());
  WriteFile(images_ + "/rootfs-diff.tar", "");
  ASSERT_OK(Apply());
  Archive({});
  ASSERT_OK(Apply());
  EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(ApplyFilesTest, A79GarbageIsAnError) {
  WriteFile(images_ + "/rootfs-diff.tar", "garbage");
  EXPECT_CODE(Code::kDataLoss, Apply());
  WriteFile(images_ + "/rootfs-diff.tar", std::string(10240, 'g') + RawTarEnd());
  EXPECT_CODE(Code::kDataLoss, Apply());
  fs::remove(images_ + "/rootfs-diff.tar");
  WriteFile(images_ + "/deleted-files.json", "garbage");
  EXPECT_CODE(Code::kInvalid, Apply());
}

TEST_F(ApplyFilesTest, A79AnArchiveThatCannotBeOpenedIsAnError) {
  fs::create_symlink("elsewhere", images_ + "/rootfs-diff.tar");
  EXPECT_FALSE(Apply().ok());
  fs::remove(images_ + "/rootfs-diff.tar");
  fs::create_directory(images_ + "/rootfs-diff.tar");
  EXPECT_FALSE(Apply().ok());
}

TEST_F(ApplyFilesTest, AnArchiveThatIsCutOffWithinAFileLeavesTheOldOne) {
  WriteFile(root_ + "/f", "old");
  WriteFile(images_ + "/rootfs-diff.tar",
            RawTar({.name = "./f", .bytes = std::string(4096, 'n')}).substr(0, 2048) + RawTarEnd());
  EXPECT_CODE(Code::kDataLoss, Apply());
  EXPECT_EQ(ReadFile(root_ + "/f"), "old");
}

TEST_F(ApplyFilesTest, EntriesThatLeadElsewhereAreRefused) {
  WriteFile(temporary_ / "outside", "outside");
  const std::string absolute = temporary_ / "outside";
  for (const RawTarEntry& entry :
       {RawTarEntry{.name = "../outside", .bytes = "x"}, RawTarEntry{.name = "./a/../../outside"},
        RawTarEntry{.name = absolute, .bytes = "x"},
        RawTarEntry{.name = "./h", .type = '1', .target = "../outside"},
        RawTarEntry{.name = "./h", .type = '1', .target = absolute}}) {
    Archive({entry});
    SCOPED_TRACE(std::string(entry.name) + ' ' + std::string(entry.target));
    EXPECT_CODE(Code::kInvalid, Apply());
    EXPECT_TRUE(fs::is_empty(root_));
  }
  EXPECT_EQ(ReadFile(temporary_ / "outside"), "outside");
}

TEST_F(ApplyFilesTest, LinksInTheArchiveAreNotFollowed) {
  WriteFile(temporary_ / "outside", "outside");
  const std::string above = temporary_.path();
  Archive({{.name = "./d", .type = '2', .target = above}, {.name = "./d/outside", .bytes = "x"}});
  EXPECT_FALSE(Apply().ok());
  Archive({{.name = "./h", .type = '2', .target = above},
           {.name = "./g", .type = '1', .target = "./h/outside"}});
  EXPECT_FALSE(Apply().ok());
  EXPECT_EQ(ReadFile(temporary_ / "outside"), "outside");
}

TEST_F(ApplyFilesTest, AbsentDirectoriesOfOtherArchivesAreMade) {
  Archive({{.name = "./a/b/f", .bytes = "x"}, {.name = "g", .bytes = "y"}});
  ASSERT_OK(Apply());
  EXPECT_EQ(ReadFile(root_ + "/a/b/f"), "x");
  EXPECT_EQ(ReadFile(root_ + "/g"), "y");
}

TEST_F(ApplyFilesTest, ErrorsNameTheFile) {
  Archive({{.name = "./h", .type = '1', .target = "./missing"}});
  const auto applied = Apply();
  EXPECT_CODE(Code::kNotFound, applied);
  EXPECT_THAT(std::string(applied.status().message()), HasSubstr("/h: cannot link it to /missing"));
}

// Archives made of the layer as it is, by other agents: deletions are devices in them.
TEST_F(ApplyFilesTest, WhiteoutsInAnArchiveDelete) {
  WriteFile(root_ + "/gone", "x");
  Archive({{.name = "./gone", .type = '3'}});
  ASSERT_OK(Apply());
  EXPECT_FALSE(Exists(root_ + "/gone"));
}

TEST_F(ApplyFilesTest, StopsWhenToldTo) {
  Archive({{.name = "./f"}});
  std::stop_source source;
  source.request_stop();
  EXPECT_CODE(Code::kCancelled, ApplyFiles(OpenDirectory(images_).get(), OpenDirectory(root_).get(),
                                           {}, {.stop = source.get_token()}));
  EXPECT_FALSE(Exists(root_ + "/f"));
}

}  // namespace
}  // namespace hearth::agent
