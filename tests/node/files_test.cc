#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "agent/files/apply_files.h"
#include "agent/files/path_list.h"
#include "agent/files/save_files.h"
#include "agent/files/testing/tree.h"
#include "base/process_runner.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::node {
namespace {

namespace fs = std::filesystem;
using agent::ApplyFiles;
using agent::ApplyReport;
using agent::FilesReport;
using agent::LeftOut;
using agent::SaveFiles;
using agent::files::DescribeTree;
using agent::files::Difference;
using agent::files::Exists;
using agent::files::OpenDirectory;
using agent::files::ReadFile;
using agent::files::WriteFile;
using testing::HasSubstr;

// Two containers of one image: `source` is changed, `target` gets the changes. Their roots are
// overlays of the kernel, in a mount namespace that ends with the test program.
class FilesNodeTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (::geteuid() == 0) {
      ASSERT_EQ(::unshare(CLONE_NEWNS), 0);
      ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    }
  }
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root: overlays are mounted";
    }
    for (const char* name : {"lower", "images"}) {
      fs::create_directory(temporary_ / name);
    }
  }
  void TearDown() override {
    for (const std::string& path : mounted_) {
      (void)::umount2(path.c_str(), MNT_DETACH);
    }
  }

  void Mount(const std::string& name, const std::string& options) {
    for (const char* part : {"", "/upper", "/work", "/root"}) {
      fs::create_directory(temporary_ / (name + part));
    }
    const std::string all = "lowerdir=" + lower_ + ",upperdir=" + (temporary_ / (name + "/upper")) +
                            ",workdir=" + (temporary_ / (name + "/work")) + options;
    const std::string root = temporary_ / (name + "/root");
    ASSERT_EQ(::mount("overlay", root.c_str(), "overlay", 0, all.c_str()), 0) << all;
    mounted_.push_back(root);
  }
  void MountBoth(const std::string& options = ",redirect_dir=off,metacopy=off") {
    Mount("source", options);
    Mount("target", options);
  }
  Result<FilesReport> Save(const LeftOut& left_out = {}) {
    return SaveFiles(OpenDirectory(temporary_ / "source/upper").get(), OpenDirectory(images_).get(),
                     left_out, WaitLimit::Forever());
  }
  Result<ApplyReport> Apply(const LeftOut& left_out = {}) {
    return ApplyFiles(OpenDirectory(images_).get(), OpenDirectory(target_).get(), left_out,
                      WaitLimit::Forever());
  }
  void ExpectSame() { EXPECT_EQ(Difference(DescribeTree(source_), DescribeTree(target_)), ""); }
  void Run(const std::vector<std::string>& argv) {
    ASSERT_OK_AND_ASSIGN(const ProcessOutcome outcome,
                         RealProcessRunner().Run({.argv = argv}, WaitLimit::Forever()));
    ASSERT_TRUE(outcome.ok()) << outcome.errors;
  }

  TempDirectory temporary_;
  const std::string lower_ = temporary_ / "lower";
  const std::string images_ = temporary_ / "images";
  const std::string source_ = temporary_ / "source/root";
  const std::string target_ = temporary_ / "target/root";
  std::vector<std::string> mounted_;
};

void SetXattr(const std::string& path, const char* name, std::string_view value) {
  ASSERT_EQ(::lsetxattr(path.c_str(), name, value.data(), value.size(), 0), 0) << path << name;
}

// W1, W2: deleted files of the image stay deleted, changed ones changed.
TEST_F(FilesNodeTest, W1W2DeletedAndChangedFilesOfTheImage) {
  fs::create_directories(lower_ + "/etc/tree/deep");
  WriteFile(lower_ + "/etc/delete-me", "x");
  WriteFile(lower_ + "/etc/base-file", "base");
  WriteFile(lower_ + "/etc/tree/deep/f", "x");
  MountBoth();
  fs::remove(source_ + "/etc/delete-me");
  WriteFile(source_ + "/etc/base-file", "changed");
  fs::remove_all(source_ + "/etc/tree");
  fs::create_directory(source_ + "/etc/tree");  // opaque now
  WriteFile(source_ + "/etc/tree/new", "x");
  ASSERT_OK_AND_ASSIGN(const FilesReport saved, Save());
  EXPECT_EQ(saved.deleted, 1U);
  EXPECT_EQ(saved.opaque, 1U);
  ASSERT_OK(Apply());
  EXPECT_FALSE(Exists(target_ + "/etc/delete-me"));
  EXPECT_EQ(ReadFile(target_ + "/etc/base-file"), "changed");
  ExpectSame();
}

// W3: everything that a file has comes back.
TEST_F(FilesNodeTest, W3OwnersDevicesAttributesAndCapabilities) {
  MountBoth();
  WriteFile(source_ + "/program", "x");
  ASSERT_EQ(::chown((source_ + "/program").c_str(), 1000, 3'000'000), 0);
  fs::permissions(source_ + "/program", fs::perms(06755));
  const vfs_cap_data capability{.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
                                .data = {{.permitted = 1 << CAP_NET_RAW, .inheritable = 0}, {}}};
  SetXattr(source_ + "/program", "security.capability",
           {reinterpret_cast<const char*>(&capability), sizeof(capability)});
  SetXattr(source_ + "/program", "trusted.mine", "1");
  SetXattr(source_ + "/program", "user.large", std::string(2000, 'v'));
  ASSERT_EQ(::mknod((source_ + "/null").c_str(), S_IFCHR | 0666, makedev(1, 3)), 0);
  ASSERT_EQ(::mknod((source_ + "/disk").c_str(), S_IFBLK | 0640, makedev(7, 300)), 0);
  fs::create_symlink("x", source_ + "/link");
  ASSERT_EQ(::lchown((source_ + "/link").c_str(), 5, 6), 0);
  SetXattr(source_ + "/link", "trusted.of.link", "1");
  fs::create_directory(source_ + "/shared");
  // u::rwx g::r-x o::--- and 1000 may write: for the directory itself and for what is made in it.
  const std::string acl(
      "\2\0\0\0\1\0\7\0\xff\xff\xff\xff\2\0\7\0\xe8\3\0\0\4\0\5\0\xff\xff\xff\xff"
      "\x10\0\7\0\xff\xff\xff\xff\x20\0\0\0\xff\xff\xff\xff",
      44);
  SetXattr(source_ + "/shared", "system.posix_acl_access", acl);
  WriteFile(source_ + "/shared/before", "has no list");
  SetXattr(source_ + "/shared", "system.posix_acl_default", acl);
  WriteFile(source_ + "/shared/after", "has one");
  ASSERT_OK(Save());
  ASSERT_OK(Apply());
  ExpectSame();
  ASSERT_OK_AND_ASSIGN(const ApplyReport again, Apply());
  EXPECT_EQ(again.placed, 0U);
}

TEST_F(FilesNodeTest, AnOverlayWithinTheContainerKeepsItsMarks) {
  MountBoth();
  fs::create_directory(source_ + "/layer");
  if (::setxattr((source_ + "/layer").c_str(), "trusted.overlay.opaque", "y", 1, 0) != 0) {
    GTEST_SKIP() << "this kernel's overlays do not nest (before Linux 6.7)";
  }
  WriteFile(source_ + "/layer/f", "x");
  ASSERT_OK_AND_ASSIGN(const FilesReport saved, Save());
  EXPECT_EQ(saved.opaque, 0U);
  ASSERT_OK(Apply());
  ExpectSame();
}

TEST_F(FilesNodeTest, ADirectoryThatWasRenamedByReferenceIsRefused) {
  fs::create_directory(lower_ + "/old");
  WriteFile(lower_ + "/old/f", "x");
  Mount("source", ",redirect_dir=on");
  fs::rename(source_ + "/old", source_ + "/new");
  const auto saved = Save();
  EXPECT_CODE(Code::kUnsupported, saved);
  EXPECT_THAT(std::string(saved.status().message()), HasSubstr("/new: "));
}

TEST_F(FilesNodeTest, AFileWhoseContentStayedBelowIsRefused) {
  WriteFile(lower_ + "/f", std::string(100'000, 'x'));
  Mount("source", ",metacopy=on");
  fs::permissions(source_ + "/f", fs::perms(0600));
  const auto saved = Save();
  EXPECT_CODE(Code::kUnsupported, saved);
  EXPECT_THAT(std::string(saved.status().message()), HasSubstr("/f: "));
}

TEST_F(FilesNodeTest, WhatIsMountedInTheTargetIsNotTouched) {
  for (const char* name : {"/volume", "/gone", "/file", "/opaque"}) {
    fs::create_directories(lower_ + name);
  }
  fs::create_directory(lower_ + "/gone/volume");
  fs::create_directory(lower_ + "/opaque/volume");
  WriteFile(lower_ + "/hosts", "");
  MountBoth();
  fs::remove_all(source_ + "/gone");
  fs::remove_all(source_ + "/opaque");
  fs::create_directory(source_ + "/opaque");
  WriteFile(source_ + "/volume/f", "of the source");
  WriteFile(source_ + "/hosts", "of the source");
  const std::string outside = temporary_ / "outside";
  fs::create_directory(outside);
  WriteFile(outside + "/f", "outside");
  for (const char* name : {"/volume", "/gone/volume", "/opaque/volume"}) {
    ASSERT_EQ(::mount(outside.c_str(), (target_ + name).c_str(), nullptr, MS_BIND, nullptr), 0);
    mounted_.insert(mounted_.begin(), target_ + name);
  }
  ASSERT_EQ(
      ::mount((outside + "/f").c_str(), (target_ + "/hosts").c_str(), nullptr, MS_BIND, nullptr),
      0);
  mounted_.insert(mounted_.begin(), target_ + "/hosts");
  ASSERT_OK(Save());
  ASSERT_OK_AND_ASSIGN(const ApplyReport report, Apply());
  EXPECT_EQ(report.left_alone, 3U);
  EXPECT_EQ(ReadFile(outside + "/f"), "outside");
  EXPECT_TRUE(Exists(target_ + "/gone/volume/f"));
  EXPECT_TRUE(Exists(target_ + "/opaque/volume/f"));
}

// W5: a disk that is full is an error that names the archive, and nothing of it stays.
TEST_F(FilesNodeTest, W5AFullDiskIsAnError) {
  MountBoth();
  WriteFile(source_ + "/large", std::string(20 << 20, 'x'));
  ASSERT_EQ(::mount("tmpfs", images_.c_str(), "tmpfs", 0, "size=8m"), 0);
  mounted_.push_back(images_);
  EXPECT_CODE(Code::kExhausted, Save());
  EXPECT_TRUE(fs::is_empty(images_));
}

// As other agents save it: the upper directory as it is, deletions and opaque directories in it.
TEST_F(FilesNodeTest, ArchivesOfGnuTarAreApplied) {
  fs::create_directories(lower_ + "/d/hidden");
  WriteFile(lower_ + "/gone", "x");
  MountBoth();
  fs::remove(source_ + "/gone");
  fs::remove_all(source_ + "/d");
  fs::create_directory(source_ + "/d");
  WriteFile(source_ + "/d/\xc3\xa4", "x");
  WriteFile(source_ + "/d/bad\xff\n", "x");
  WriteFile(source_ + "/d/" + std::string(180, 'l'), "x");
  SetXattr(source_ + "/d/\xc3\xa4", "user.a=b", "c");
  Run({"tar", "--xattrs", "-C", temporary_ / "source/upper", "-cf", images_ + "/rootfs-diff.tar",
       "."});
  ASSERT_OK(Apply());
  ExpectSame();
}

TEST_F(FilesNodeTest, GnuTarReadsOurArchives) {
  MountBoth();
  WriteFile(source_ + "/f", "x");
  WriteFile(source_ + "/\xc3\xa4", "x");
  WriteFile(source_ + "/" + std::string(180, 'l'), "x");
  fs::create_hard_link(source_ + "/f", source_ + "/g");
  fs::resize_file(source_ + "/f", 1 << 20);
  SetXattr(source_ + "/f", "user.a=b%", "c");
  ASSERT_EQ(::mknod((source_ + "/null").c_str(), S_IFCHR | 0666, makedev(1, 3)), 0);
  ASSERT_OK(Save());
  Run({"tar", "--xattrs", "--xattrs-include=*", "-C", target_, "-xpf",
       images_ + "/rootfs-diff.tar"});
  ExpectSame();
}

// Random changes of a random image.
class RandomChanges {
 public:
  RandomChanges(unsigned seed, std::string root) : random_(seed), root_(std::move(root)) {}

  // Without holes: a small one is filled when the kernel copies the file up, and then its content
  // is still equal to that of the image.
  void Create() {
    holes_ = false;
    for (int i = 0; i < 60; ++i) {
      Make();
    }
  }
  void Change() {
    for (int i = 0; i < 120; ++i) {
      switch (Up(10)) {
        case 0:
        case 1:
          Make();
          break;
        case 2:
          Ignore(fs::remove_all(Some(), error_));
          break;
        case 3:
          Rename();
          break;
        case 4:
          Ignore(::lchown(Some().c_str(), Up(3) * 1000, Up(3) * 1000));
          break;
        case 5:
          fs::permissions(Some(), fs::perms(0400 | Up(010000)), fs::perm_options::nofollow, error_);
          break;
        case 6:
          Write(Some(), false);
          break;
        case 7:
          Recreate();
          break;
        case 8:
          Attribute();
          break;
        default:
          Time();
      }
    }
  }

 private:
  template <typename T>
  static void Ignore(T&& /*what fails changes nothing*/) {}
  unsigned Up(unsigned limit) {
    return std::uniform_int_distribution<unsigned>(0, limit - 1)(random_);
  }

  std::string Some() {
    std::vector<std::string> all = {root_};
    for (auto it = fs::recursive_directory_iterator(root_); it != fs::end(it); ++it) {
      all.push_back(it->path());
    }
    return all.size() == 1 ? root_ + "/none" : all[1 + Up(all.size() - 1)];
  }
  std::string SomeDirectory() {
    const std::string path = Some();
    return fs::is_directory(fs::symlink_status(path)) ? path
                                                      : fs::path(path).parent_path().string();
  }
  std::string NewName() {
    static const std::vector<std::string> kOdd = {"\xff", "\n", "\xc3\xa4",
                                                  "%=", std::string(120, 'n')};
    return SomeDirectory() + "/" + std::to_string(Up(40)) +
           (Up(5) == 0 ? kOdd[Up(kOdd.size())] : "");
  }
  void Make() {
    const std::string name = NewName();
    switch (Up(8)) {
      case 0:
      case 1:
        fs::create_directory(name, error_);
        break;
      case 2:
        fs::create_symlink(std::to_string(Up(9)), name, error_);
        break;
      case 3:
        if (const std::string other = Some(); !fs::is_directory(fs::symlink_status(other))) {
          fs::create_hard_link(other, name, error_);
        }
        break;
      case 4:
        Ignore(Up(2) == 0 ? ::mkfifo(name.c_str(), 0600)
                          : ::mknod(name.c_str(), S_IFCHR | 0600, makedev(1, 3 + Up(5))));
        break;
      default:
        Write(name, true);
    }
  }
  void Write(const std::string& path, bool create) {
    const UniqueFd fd(
        ::open(path.c_str(),
               O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | (create ? O_CREAT : 0), 0644));
    struct stat stat {};
    if (!fd.valid() || ::fstat(fd.get(), &stat) != 0 || !S_ISREG(stat.st_mode)) {
      return;
    }
    for (unsigned i = Up(3); i > 0; --i) {
      const std::string bytes(Up(20'000), static_cast<char>('a' + Up(26)));
      const off_t offset = holes_ && Up(3) == 0 ? Up(50) * 65'536 : Up(stat.st_size + 1);
      Ignore(::pwrite(fd.get(), bytes.data(), bytes.size(), offset));
    }
    if (holes_ && Up(4) == 0) {
      Ignore(::ftruncate(fd.get(), Up(300'000)));
    }
  }
  void Rename() { fs::rename(Some(), NewName(), error_); }
  void Recreate() {
    const std::string path = SomeDirectory();
    if (path != root_) {
      fs::remove_all(path, error_);
      fs::create_directory(path, error_);
    }
  }
  void Attribute() {
    static const std::vector<const char*> kNames = {"user.a", "user.b=c", "trusted.d"};
    const std::string path = Some();
    const char* const name = kNames[Up(kNames.size())];
    const std::string value(Up(100), 'v');
    Ignore(Up(4) == 0 ? ::lremovexattr(path.c_str(), name)
                      : ::lsetxattr(path.c_str(), name, value.data(), value.size(), 0));
  }
  void Time() {
    const timespec time = {static_cast<time_t>(Up(2'000'000'000)) - 500'000'000,
                           static_cast<long>(Up(1'000'000'000))};
    const timespec times[2] = {time, time};
    Ignore(::utimensat(AT_FDCWD, Some().c_str(), times, AT_SYMLINK_NOFOLLOW));
  }

  std::mt19937 random_;
  const std::string root_;
  std::error_code error_;
  bool holes_ = true;
};

class RandomFilesTest : public FilesNodeTest, public testing::WithParamInterface<int> {};

TEST_P(RandomFilesTest, TheTargetBecomesTheSource) {
  RandomChanges(GetParam(), lower_).Create();
  MountBoth();
  RandomChanges(GetParam() + 1000, source_).Change();
  ASSERT_OK(Save());
  ASSERT_OK(Apply());
  ExpectSame();
  ASSERT_OK(Apply());
  ExpectSame();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFilesTest, testing::Range(0, 40));

}  // namespace
}  // namespace hearth::node
