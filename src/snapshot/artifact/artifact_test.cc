#include "snapshot/artifact/artifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/testing/faulty_file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "snapshot/artifact/seal.h"
#include "snapshot/artifact/store.h"
#include "snapshot/artifact/testing/sample_artifact.h"
#include "snapshot/artifact/verify.h"

namespace hearth::snapshot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string Pages() {
  std::string pages(5 << 20, '\0');
  for (size_t i = 0; i < pages.size(); i += 8192) {
    pages[i] = static_cast<char>('a' + i % 23);
  }
  std::fill(pages.begin() + (2 << 20), pages.begin() + (3 << 20), '\0');
  return pages + "tail";
}

class ArtifactTest : public testing::Test {
 protected:
  void SetUp() override {
    auto layout = StorageLayout::Create(storage_.path());
    ASSERT_OK(layout.status());
    layout_.emplace(*std::move(layout));
  }
  Result<disk::Digest> Publish(const Manifest& manifest, IfThere if_there = IfThere::kRefuse) {
    return PublishSample(files_, *layout_, manifest,
                         {{"pages-1.img", Pages()}, {"core-1.img", "core"}, {"empty.img", ""}},
                         if_there);
  }
  std::string PathOf(const std::string& id, const std::string& file) const {
    return *layout_->Artifact(id, "1") + "/" + file;
  }
  Result<Artifact> Open(const std::string& id) {
    return Artifact::Open(*layout_->Artifact(id, "1"));
  }
  // Whether anything finds fault with it, as a restore would.
  Status CheckAll(const std::string& id) {
    ASSIGN_OR_RETURN(const Artifact artifact, Open(id));
    ASSIGN_OR_RETURN(const VerifyReport report, VerifyFiles(artifact, {}, WaitLimit::Forever()));
    return Intact(report);
  }

  TempDirectory storage_;
  FaultyFileSystem files_{RealFileSystem()};
  std::optional<StorageLayout> layout_;
};

// W6: a directory alone is no proof.
TEST_F(ArtifactTest, WhatWasPublishedIsFoundWhole) {
  ASSERT_OK_AND_ASSIGN(const disk::Digest root, Publish(SampleManifest("a")));
  ASSERT_OK_AND_ASSIGN(const Artifact artifact, Open("a"));
  EXPECT_EQ(artifact.root(), root);
  EXPECT_THAT(artifact.contents().files, SizeIs(3));
  EXPECT_EQ(artifact.manifest().integrity->bytes, Pages().size() + 4);
  ASSERT_OK_AND_ASSIGN(const VerifyReport report, VerifyFiles(artifact, {}, WaitLimit::Forever()));
  EXPECT_THAT(report.damages, IsEmpty());
  EXPECT_EQ(report.bytes, Pages().size() + 4);
  struct stat info {};
  ASSERT_EQ(::stat(PathOf("a", "core-1.img").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U) << "memory holds secrets";
  ASSERT_EQ(::stat(layout_->Artifact("a", "1")->c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

TEST_F(ArtifactTest, PagesOfZerosTakeNoSpace) {
  ASSERT_OK(Publish(SampleManifest("a")).status());
  struct stat info {};
  ASSERT_EQ(::stat(PathOf("a", "pages-1.img").c_str(), &info), 0);
  EXPECT_EQ(static_cast<size_t>(info.st_size), Pages().size());
  EXPECT_LE(info.st_blocks * 512, (2 << 20) + 65536) << "every other page but one mebibyte";
  std::ifstream in(PathOf("a", "pages-1.img"), std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), Pages());
}

// Any byte of any file, in a hole or not.
TEST_F(ArtifactTest, EveryFlippedByteIsNamedByFileAndChunk) {
  ASSERT_OK(Publish(SampleManifest("a")).status());
  const auto flip = [&](const std::string& file, std::streamoff at) {
    std::fstream stream(PathOf("a", file), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(at);
    const char was = static_cast<char>(stream.get());
    stream.seekp(at);
    stream.put(static_cast<char>(was ^ 1));
  };
  const std::vector<std::pair<std::string, std::streamoff>> places = {
      {"pages-1.img", 0},
      {"pages-1.img", (1 << 20) + 1},
      {"pages-1.img", (2 << 20) + 77},
      {"pages-1.img", (5 << 20) + 3},
      {"core-1.img", 2}};
  for (const auto& [file, at] : places) {
    flip(file, at);
    const Status found = CheckAll("a");
    SCOPED_TRACE(testing::Message() << file << " at " << at);
    EXPECT_CODE(Code::kDataLoss, found);
    EXPECT_THAT(found.message(), HasSubstr(file + ": chunk " + std::to_string(at >> 20)));
    flip(file, at);
  }
  for (const std::string_view file : {kManifestFile, kContentsFile}) {
    const auto size =
        static_cast<std::streamoff>(std::filesystem::file_size(PathOf("a", std::string(file))));
    for (std::streamoff at = 0; at < size; ++at) {
      flip(std::string(file), at);
      SCOPED_TRACE(testing::Message() << file << " at " << at);
      EXPECT_CODE(Code::kDataLoss, CheckAll("a"));
      flip(std::string(file), at);
    }
  }
  EXPECT_OK(CheckAll("a"));
}

// A91: links, and what is not there.
TEST_F(ArtifactTest, FilesThatAreMissingShorterOrTooManyAreNamed) {
  ASSERT_OK(Publish(SampleManifest("a")).status());
  std::ofstream(PathOf("a", "pages-2.img")) << "more";
  EXPECT_THAT(Open("a").status().message(), HasSubstr("pages-2.img does not belong to it"));
  std::filesystem::remove(PathOf("a", "pages-2.img"));
  std::filesystem::resize_file(PathOf("a", "pages-1.img"), 4096);
  EXPECT_THAT(Open("a").status().message(), HasSubstr("pages-1.img has 4096 bytes instead of"));
  std::filesystem::remove(PathOf("a", "pages-1.img"));
  std::filesystem::create_symlink("/etc/passwd", PathOf("a", "pages-1.img"));
  EXPECT_THAT(Open("a").status().message(), HasSubstr("symbolic link"));
  std::filesystem::remove(PathOf("a", "pages-1.img"));
  EXPECT_CODE(Code::kDataLoss, Open("a"));
  EXPECT_EQ(PeekManifest(*layout_->Artifact("a", "1"))->checkpoint_id, "a") << "it says so still";
  EXPECT_CODE(Code::kNotFound, Open("b"));
}

// A91: a directory that is a link shows what is not there, and leads what is written elsewhere.
TEST_F(ArtifactTest, DirectoriesThatAreLinksAreNeitherReadNorWritten) {
  ASSERT_OK(Publish(SampleManifest("real")).status());
  const auto link = [&](const std::string& target, const std::string& name) {
    std::filesystem::create_directories(std::filesystem::path(storage_ / name).parent_path());
    std::filesystem::create_directory_symlink(storage_ / target, storage_ / name);
  };
  link("real/versions/1", "version/versions/1");
  link("real/versions", "versions/versions");
  link("real", "id");
  for (const char* const id : {"version", "versions", "id"}) {
    SCOPED_TRACE(id);
    EXPECT_CODE(Code::kDataLoss, Open(id));
  }
  for (const char* const id : {"versions", "id"}) {
    SCOPED_TRACE(id);
    EXPECT_CODE(Code::kDataLoss, Staging::Begin(files_, *layout_, id, "2"));
  }
  std::filesystem::create_directories(storage_ / "elsewhere");
  link("elsewhere", "staged/versions/tmp");
  EXPECT_CODE(Code::kDataLoss, Staging::Begin(files_, *layout_, "staged", "1"));
  EXPECT_TRUE(std::filesystem::is_empty(storage_ / "elsewhere"));
  EXPECT_OK(CheckAll("real"));
}

TEST_F(ArtifactTest, NothingIsRemovedThroughALink) {
  const std::string victim = storage_ / "victim";
  const auto plant = [&](const std::string& name, const std::string& to) {
    std::filesystem::create_directories(std::filesystem::path(storage_ / name).parent_path());
    std::filesystem::create_directory_symlink(victim + to, storage_ / name);
  };
  std::filesystem::create_directories(victim + "/versions/1");
  std::ofstream(victim + "/versions/1/file") << "somebody's";
  plant("gms/a/versions", "/versions");
  plant("gms/b", "");
  plant("c/versions", "/versions");
  plant("d", "");
  plant("e/versions/tmp", "/versions");
  ASSERT_OK(Publish(SampleManifest("a")).status());
  std::filesystem::create_directories(storage_ / "e/versions/1");
  for (const char* const id : {"a", "b", "c", "d", "e"}) {
    SCOPED_TRACE(id);
    EXPECT_CODE(Code::kDataLoss, RemoveArtifact(files_, *layout_, id, "1"));
    EXPECT_TRUE(std::filesystem::exists(victim + "/versions/1/file"));
  }
  EXPECT_OK(Open("a").status());
}

// Storage full, or gone, at any step: an error, and nothing is published or left.
TEST_F(ArtifactTest, WhatCannotBeWrittenIsNotPublishedAndLeavesNothing) {
  for (int step = 0;; ++step) {
    SCOPED_TRACE(step);
    FaultyFileSystem full(RealFileSystem());
    full.FailAt(step, Status::FromErrno(ENOSPC, "write"));
    const auto made = PublishSample(full, *layout_, SampleManifest("a"), {{"x.img", "x"}});
    if (made.ok() && full.steps() <= step) {
      EXPECT_GT(step, 8) << "contents, manifest, their syncs and the rename are steps";
      break;
    }
    if (made.ok()) {
      // Only tidying up failed, or what was asked twice.
      ASSERT_OK(RemoveArtifact(RealFileSystem(), *layout_, "a", "1"));
    } else {
      EXPECT_THAT(made.status().message(), HasSubstr("No space left"));
    }
    if (const auto there = Open("a"); there.ok()) {
      EXPECT_OK(CheckAll("a"));  // whole; its directory could not be synced
      ASSERT_OK(RemoveArtifact(RealFileSystem(), *layout_, "a", "1"));
    }
    ASSERT_OK(RemoveAbandoned(RealFileSystem(), *layout_).status());
    EXPECT_FALSE(std::filesystem::exists(storage_ / "a/versions/1"));
    EXPECT_FALSE(std::filesystem::exists(storage_ / "a/versions/tmp"));
  }
}

TEST_F(ArtifactTest, AnArtifactWithoutDigestsIsOpenedAndCannotBeVerified) {
  const std::string directory = *layout_->Artifact("old", "1");
  std::filesystem::create_directories(directory);
  Manifest manifest = SampleManifest("old");
  manifest.environment.reset();
  std::ofstream(directory + "/manifest.yaml") << WriteManifest(manifest);
  std::ofstream(directory + "/core-1.img") << "core";
  ASSERT_OK_AND_ASSIGN(const Artifact artifact, Open("old"));
  EXPECT_FALSE(artifact.sealed());
  EXPECT_THAT(artifact.contents().files, SizeIs(1));
  EXPECT_CODE(Code::kUnsupported, VerifyFiles(artifact, {}, WaitLimit::Forever()));
}

TEST_F(ArtifactTest, OneThatIsThereIsNotTouchedUnlessAsked) {
  ASSERT_OK_AND_ASSIGN(const disk::Digest first, Publish(SampleManifest("a")));
  Manifest other = SampleManifest("a");
  other.source.pod_name = "other";
  EXPECT_CODE(Code::kAlreadyExists, Publish(other));
  EXPECT_EQ(Open("a")->root(), first);
  ASSERT_OK_AND_ASSIGN(const disk::Digest second, Publish(other, IfThere::kReplace));
  EXPECT_EQ(Open("a")->root(), second);
  EXPECT_NE(first, second);
}

// W6, W7: and what is left is removed.
TEST_F(ArtifactTest, KilledAtAnyStepThereIsTheOldOneOrTheNewOne) {
  for (const IfThere if_there : {IfThere::kRefuse, IfThere::kReplace}) {
    for (int step = 0;; ++step) {
      const std::string id =
          "a" + std::to_string(step) + (if_there == IfThere::kReplace ? "r" : "");
      std::optional<disk::Digest> old;
      if (if_there == IfThere::kReplace) {
        ASSERT_OK_AND_ASSIGN(
            old, PublishSample(RealFileSystem(), *layout_, SampleManifest(id), {{"x.img", "old"}}));
      }
      FaultyFileSystem killed(RealFileSystem());
      killed.KillAt(step);
      const auto made =
          PublishSample(killed, *layout_, SampleManifest(id), {{"x.img", "new"}}, if_there);
      const auto there = Open(id);
      if (made.ok()) {
        EXPECT_EQ(there->root(), *made);
        break;
      }
      if (there.ok()) {
        EXPECT_OK(CheckAll(id));
      } else {
        SCOPED_TRACE(testing::Message() << step);
        EXPECT_CODE(Code::kNotFound, there);
        EXPECT_FALSE(old.has_value());
      }
      ASSERT_OK(RemoveAbandoned(RealFileSystem(), *layout_).status());
      EXPECT_FALSE(std::filesystem::exists(storage_ / (id + "/versions/tmp"))) << step;
    }
  }
}

TEST_F(ArtifactTest, ListingFindsArtifactsAndRemovalLeavesNothing) {
  ASSERT_OK(Publish(SampleManifest("b")).status());
  ASSERT_OK(Publish(SampleManifest("a", "2")).status());
  ASSERT_OK(Publish(SampleManifest("a", "1")).status());
  std::filesystem::create_directories(storage_ / "gms/b/versions/1");
  std::ofstream(storage_ / "note.txt") << "mine";
  std::filesystem::create_directories(storage_ / "gms/a/versions/1");
  ASSERT_OK_AND_ASSIGN(const auto places, ListArtifacts(files_, *layout_));
  ASSERT_THAT(places, SizeIs(3));
  EXPECT_EQ(places[0].id + places[0].version + places[1].version + places[2].id, "a12b");
  ASSERT_OK(RemoveArtifact(files_, *layout_, "a", "1"));
  EXPECT_CODE(Code::kNotFound, Open("a"));
  ASSERT_OK(RemoveArtifact(files_, *layout_, "a", "2"));
  ASSERT_OK(RemoveArtifact(files_, *layout_, "a", "2"));  // absent is fine
  EXPECT_FALSE(std::filesystem::exists(storage_ / "a"));
  EXPECT_FALSE(std::filesystem::exists(storage_ / "gms/a"));
  EXPECT_OK(CheckAll("b"));
  EXPECT_TRUE(std::filesystem::exists(storage_ / "gms/b/versions/1"));
}

// W10: all namespaces share the ids, and a failed order must not take another's weights with it.
TEST_F(ArtifactTest, LoneWeightsGoOnlyWithTheMarkOfTheirPod) {
  const std::string weights = storage_ / "gms/a/versions/1";
  std::filesystem::create_directories(weights + "/device-0");
  const auto mark = [&](const std::string& name) { std::ofstream(weights + "/" + name) << "ok"; };
  const auto goes = [&](const std::string& uid) {
    const auto removed = RemoveLoneWeights(files_, *layout_, "a", "1", uid);
    EXPECT_OK(removed.status());
    return removed.ok() && *removed;
  };
  EXPECT_FALSE(goes("uid-1")) << "nobody said whose they are";
  mark("gms-save-complete");
  EXPECT_FALSE(goes("uid-1")) << "somebody's, shared";
  EXPECT_FALSE(goes(""));
  std::filesystem::remove(weights + "/gms-save-complete");
  mark("gms-save-complete-uid-1");
  EXPECT_FALSE(goes("uid-2"));
  mark("gms-save-complete-uid-2");
  EXPECT_FALSE(goes("uid-1")) << "two saved there";
  std::filesystem::remove(weights + "/gms-save-complete-uid-2");
  ASSERT_OK(Publish(SampleManifest("a")).status());
  EXPECT_FALSE(goes("uid-1")) << "they belong to an artifact";
  std::filesystem::remove_all(storage_ / "a");
  ASSERT_TRUE(std::filesystem::exists(weights + "/device-0"));
  EXPECT_TRUE(goes("uid-1"));
  EXPECT_FALSE(std::filesystem::exists(storage_ / "gms/a"));
  EXPECT_FALSE(goes("uid-1")) << "absent is fine";
}

TEST_F(ArtifactTest, WhatMayNotBeSeenIsNotTakenForNothing) {
  ASSERT_OK(Publish(SampleManifest("a")).status());
  std::filesystem::permissions(storage_.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(storage_ / "a", std::filesystem::perms::none);
  const bool root = ::geteuid() == 0;
  ASSERT_TRUE(!root || ::seteuid(65534) == 0);
  const auto places = ListArtifacts(files_, *layout_);
  ASSERT_TRUE(!root || ::seteuid(0) == 0);
  std::filesystem::permissions(storage_ / "a", std::filesystem::perms(0700));
  EXPECT_CODE(Code::kPermissionDenied, places);
}

// What the memory service saved is the larger part, and only the artifact tells that it is there.
TEST_F(ArtifactTest, ARemovalThatWasKilledLosesSightOfNothing) {
  const std::string weights = storage_ / "gms/a/versions/1";
  for (int step = 0;; ++step) {
    ASSERT_OK(RemoveArtifact(RealFileSystem(), *layout_, "a", "1"));
    ASSERT_OK(PublishSample(RealFileSystem(), *layout_, SampleManifest("a"), {{"x.img", "x"}}));
    std::filesystem::create_directories(weights);
    std::ofstream(weights + "/tensor") << "large";
    FaultyFileSystem killed(RealFileSystem());
    killed.KillAt(step);
    if (RemoveArtifact(killed, *layout_, "a", "1").ok()) {
      EXPECT_GT(step, 3) << "the steps are not counted";
      break;
    }
    SCOPED_TRACE(step);
    EXPECT_TRUE(Open("a").ok() || !std::filesystem::exists(weights));
    ASSERT_OK(RemoveAbandoned(RealFileSystem(), *layout_).status());
  }
  EXPECT_FALSE(std::filesystem::exists(storage_ / "gms/a"));
}

TEST_F(ArtifactTest, StagingOfWhoLivesIsLeftAlone) {
  ASSERT_OK_AND_ASSIGN(auto staging, Staging::Begin(files_, *layout_, "a", "1"));
  std::filesystem::create_directories(storage_ / "a/versions/tmp/of-another-program");
  EXPECT_THAT(*RemoveAbandoned(files_, *layout_), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(staging->path()));
  const std::string path = staging->path();
  staging.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::exists(storage_ / "a/versions/tmp/of-another-program"));
}

// The locks of another node may not be seen here: what it made must have rested first.
TEST_F(ArtifactTest, StagingOfAnotherNodeIsLeftAloneForADay) {
  const std::string home = storage_ / "a/versions/tmp";
  const std::string staged = home + "/0123456789abcdef";
  std::filesystem::create_directories(staged);
  std::ofstream(staged + "/pages-1.img") << "half";
  std::ofstream(staged + ".owner") << "00000000-1111-2222-3333-444444444444\n";
  EXPECT_THAT(*RemoveAbandoned(files_, *layout_), IsEmpty());
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(25);
  for (const std::string& path : {staged, staged + ".owner"}) {
    std::filesystem::last_write_time(path, old);
  }
  EXPECT_THAT(*RemoveAbandoned(files_, *layout_), IsEmpty()) << "its pages are written";
  std::filesystem::last_write_time(staged + "/pages-1.img", old);
  EXPECT_THAT(*RemoveAbandoned(files_, *layout_), ElementsAre(staged));
  EXPECT_FALSE(std::filesystem::exists(home));
}

}  // namespace
}  // namespace hearth::snapshot
