#include "gms/storage/sentinel.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "base/testing/faulty_file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::gms::storage {
namespace {

std::string PathOf(const std::string& override_name, const std::string& uid) {
  return Sentinel::Make(RealFileSystem(), "/c", kSaveComplete, override_name, uid)->path();
}

TEST(Sentinel, IsNamedByOverrideThenPodThenBase) {
  EXPECT_EQ(PathOf("", ""), "/c/gms-save-complete");
  EXPECT_EQ(PathOf("", "uid-1"), "/c/gms-save-complete-uid-1");
  EXPECT_EQ(PathOf("done", "uid-1"), "/c/done");
  EXPECT_EQ(PathOf("/elsewhere/done", "uid-1"), "/elsewhere/done");
  for (const char* uid : {"../../x", "a/b"}) {
    EXPECT_CODE(Code::kInvalid, Sentinel::Make(RealFileSystem(), "/c", kSaveComplete, "", uid));
  }
  EXPECT_CODE(Code::kInvalid, Sentinel::Make(RealFileSystem(), "/c", kSaveComplete, "..", ""));
}

TEST(Sentinel, IsClearedAndWritten) {
  const TempDirectory temp;
  ASSERT_OK_AND_ASSIGN(const Sentinel sentinel,
                       Sentinel::Make(RealFileSystem(), temp.path(), kLoadComplete, "", "u"));
  EXPECT_OK(sentinel.Clear());
  ASSERT_OK(sentinel.Write());
  EXPECT_EQ(*RealFileSystem().Read(temp / "gms-load-complete-u", 10), "ok\n");
  EXPECT_OK(sentinel.Clear());
  EXPECT_CODE(Code::kNotFound, RealFileSystem().Stat(sentinel.path()));
}

// As the kernel does, whether the file is there or not.
class ReadOnlyFileSystem : public FaultyFileSystem {
 public:
  using FaultyFileSystem::FaultyFileSystem;
  Status Remove(const std::string& path) override { return Status::FromErrno(EROFS, path); }
};

TEST(Sentinel, NothingIsToBeClearedOfAReadOnlyCheckpointThatHasNone) {
  const TempDirectory temp;
  ReadOnlyFileSystem files(RealFileSystem());
  ASSERT_OK_AND_ASSIGN(const Sentinel sentinel,
                       Sentinel::Make(files, temp.path(), kLoadComplete, "", ""));
  EXPECT_OK(sentinel.Clear());
  ASSERT_OK(RealFileSystem().Write(sentinel.path(), "ok\n", 0644));
  EXPECT_FALSE(sentinel.Clear().ok()) << "what is there would be taken for this run's";
}

}  // namespace
}  // namespace hearth::gms::storage
