// snapshotctl on a storage directory and on this machine.
#include "snapshot/ctl/snapshotctl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "agent/cri/testing/cri_stand_in.h"
#include "agent/receive/testing/packed_artifact.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "command_line/completion.h"
#include "json/time.h"
#include "snapshot/artifact/testing/sample_artifact.h"
#include "snapshot/ctl/exit_codes.h"
#include "snapshot/ctl/testing/run_snapshotctl.h"
#include "snapshot/images/testing/sample_images.h"

namespace hearth::snapshot::ctl {
namespace {

using command_line::kExitOk;
using json::Value;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kSecret = "hf_very_secret_value";

class SnapshotctlTest : public testing::Test {
 protected:
  StorageLayout Layout() { return StorageLayout::Create(storage_.path()).value(); }
  Ran Ctl(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--storage", storage_.path()});
    return RunSnapshotctl(arguments);
  }

  static Manifest ManifestOf(const std::string& id, const std::string& version = "1") {
    Manifest manifest = SampleManifest(id, version);
    manifest.created_at = json::Time::Parse("2025-11-16T12:00:00Z")->at;
    manifest.source.pod_name = "engine-0";
    manifest.source.node = "node-a";
    manifest.source.container_id = "abc";
    manifest.environment->kernel = "6.1.0-18";
    manifest.environment->architecture = "x86_64";
    manifest.environment->cpu_model = "Fast CPU";
    manifest.environment->cpu_features = {"avx2", "avx512f", "ibrs"};
    manifest.environment->criu_version = "4.2";
    manifest.environment->runtime = "containerd 1.7.24";
    manifest.environment->image = "engine:1";
    manifest.environment->image_digest = "sha256:aa";
    manifest.environment->container_name = "main";
    return manifest;
  }
  void Publish(const Manifest& manifest, const std::map<std::string, std::string>& files) {
    ASSERT_OK(PublishSample(RealFileSystem(), Layout(), manifest, files));
  }
  void PublishEngine(const std::string& id, const std::string& version = "1") {
    Publish(ManifestOf(id, version), images::SampleImages(kSecret));
  }
  std::string FileOf(const std::string& id, const std::string& file) {
    return *Layout().Artifact(id, "1") + "/" + file;
  }

  TempDirectory storage_;
};

TEST_F(SnapshotctlTest, ListShowsWhatIsThere) {
  EXPECT_THAT(Ctl({"list"}).out, StartsWith("There are no artifacts in "));
  PublishEngine("demo");
  PublishEngine("other", "2");
  ASSERT_OK(RealFileSystem().Write(FileOf("demo", "files.img"), "cut", 0600));
  const Ran text = Ctl({"list"});
  EXPECT_EQ(text.code, kExitOk) << text.err;
  EXPECT_THAT(text.out,
              AllOf(StartsWith("ID     VERSION  CAPTURED"), HasSubstr("damaged: "),
                    HasSubstr("files.img"), HasSubstr("other        2  2025-11-16T12:00:00Z  "),
                    HasSubstr("team/engine-0  node-a  sealed\n")));
  const std::vector<Value> lines = Ctl({"list", "-o", "json"}).JsonLines();
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_FALSE(lines[0].Find("whole")->boolean());
  EXPECT_EQ(lines[1].Find("checkpoint_id")->string(), "other");
  EXPECT_THAT(lines[1].Find("root_digest")->string(), Not(""));
}

TEST_F(SnapshotctlTest, InspectShowsWhatWasCaptured) {
  PublishEngine("demo");
  const Ran text = Ctl({"inspect", "demo"});
  EXPECT_EQ(text.code, kExitOk) << text.err;
  EXPECT_THAT(text.out, StartsWith("Artifact    demo/1\n"
                                   "Captured    2025-11-16T12:00:00Z\n"
                                   "From        pod team/engine-0, container main, node node-a\n"
                                   "Image       engine:1 (sha256:aa)\n"
                                   "Made on     x86_64 kernel 6.1.0-18, CRIU 4.2, containerd "
                                   "1.7.24\n"
                                   "Processor   Fast CPU\n"));
  EXPECT_THAT(text.out, HasSubstr("\nProcesses\n"
                                  "  1 engine (3 threads, 260 KiB): engine --port 8000\n"
                                  "    2 worker (1 thread, 16 KiB): /app/engine\n"));
  EXPECT_THAT(text.out, HasSubstr("  1  heap                         1    2 MiB  256 KiB\n"));
  EXPECT_THAT(text.out, HasSubstr("shared, once for all         -        -  512 KiB\n"));
  EXPECT_THAT(text.out, HasSubstr("PID  FD  KIND  STATE        LOCAL             PEER\n"
                                  "  1   3  tcp   listen       0.0.0.0:8000      -\n"
                                  "  1   4  tcp   established  10.0.0.4:41000    10.0.0.9:4222\n"
                                  "  1   6  unix  listen       /run/engine.sock  -\n"));
  EXPECT_THAT(text.out, HasSubstr("/dev/shm                                       tmpfs    shm   "
                                  "   images\n"));
}

// S8: what of the environment is in an artifact is told by name, and its values are not.
TEST_F(SnapshotctlTest, InspectReportsSecretsByNameOnly) {
  PublishEngine("demo");
  const Ran text = Ctl({"inspect", "demo/1"});
  EXPECT_THAT(text.out,
              HasSubstr("  environment: HF_TOKEN (process 1)\n"
                        "  open file: /var/run/secrets/kubernetes.io/serviceaccount/token "
                        "(process 1)\n"
                        "  mount: /var/run/secrets/kubernetes.io/serviceaccount\n"));
  const Ran machine = Ctl({"inspect", "demo", "-o", "json"});
  EXPECT_THAT(machine.Json().FindPath("images.secret_exposure")->items(), SizeIs(3));
  EXPECT_THAT(text.out + text.err + machine.out, Not(HasSubstr(kSecret)));
}

TEST_F(SnapshotctlTest, InspectTellsHowMuchSmallerMemoryBecame) {
  ASSERT_OK(
      agent::receive::PublishPacked(Layout(), ManifestOf("small"), images::SampleImages(kSecret)));
  const Ran text = Ctl({"inspect", "small"});
  EXPECT_EQ(text.code, kExitOk) << text.err;
  EXPECT_THAT(text.out,
              testing::ContainsRegex("\nCompressed  zstd, memory [0-9]+\\.[0-9]+ times smaller; "));
  // What lies in pages is found in compressed ones, too.
  EXPECT_THAT(text.out, HasSubstr("  1 engine (3 threads, 260 KiB): engine --port 8000\n"));
  EXPECT_THAT(text.out, HasSubstr("  environment: HF_TOKEN (process 1)\n"));
  const Value machine = Ctl({"inspect", "small", "-o", "json"}).Json();
  EXPECT_EQ(machine.Find("compression")->string(), "zstd");
  EXPECT_EQ(Ctl({"verify", "small", "--full"}).code, kExitOk);
  PublishEngine("large");
  EXPECT_THAT(Ctl({"diff", "large", "small"}).out, HasSubstr("only one of them is compressed"));
}

TEST_F(SnapshotctlTest, InspectStillTellsTheManifestWhenImagesAreOfAnotherKind) {
  Publish(ManifestOf("odd"), {{"inventory.img", "no image"}});
  const Ran text = Ctl({"inspect", "odd"});
  EXPECT_EQ(text.code, kExitOk);
  EXPECT_THAT(text.out, AllOf(HasSubstr("Artifact    odd/1\n"), HasSubstr("inventory.img")));
}

TEST_F(SnapshotctlTest, AnArtifactIsNamedByIdVersionOrPath) {
  PublishEngine("demo", "1");
  PublishEngine("demo", "2");
  EXPECT_THAT(Ctl({"inspect", "demo"}).err, HasSubstr("say which: demo/1, demo/2"));
  EXPECT_EQ(Ctl({"inspect", "demo"}).code, kExitFailed);
  EXPECT_EQ(Ctl({"inspect", "demo/2"}).code, kExitOk);
  EXPECT_EQ(RunSnapshotctl({"inspect", *Layout().Artifact("demo", "1")}).code, kExitOk);
  EXPECT_THAT(Ctl({"inspect", "dmeo"}).err, HasSubstr("did you mean demo?"));
}

TEST_F(SnapshotctlTest, DiffNamesWhatDiffers) {
  PublishEngine("demo");
  PublishEngine("same");
  const Ran same = Ctl({"diff", "demo", "same"});
  EXPECT_EQ(same.code, kExitOk);
  EXPECT_EQ(same.out, "They are the same.\n");
  auto files = images::SampleImages(kSecret);
  files["pages-1.img"][0] = 'x';
  Manifest manifest = ManifestOf("later");
  manifest.environment->kernel = "6.5.0";
  files["extra.img"] = "x";
  Publish(manifest, files);
  const Ran text = Ctl({"diff", "demo", "later"});
  EXPECT_EQ(text.code, kExitNo);
  EXPECT_THAT(text.out, AllOf(HasSubstr("~  environment  kernel       6.1.0-18  6.5.0\n"),
                              HasSubstr("+  file         extra.img    -         1 B\n"),
                              HasSubstr("pages-1.img  260 KiB   260 KiB, 1 of 1 chunks differ\n"),
                              HasSubstr("3 differences\n")));
  const Value json = Ctl({"diff", "demo", "later", "-o", "json"}).Json();
  EXPECT_FALSE(json.Find("same")->boolean());
  EXPECT_THAT(json.Find("differences")->items(), SizeIs(3));
}

TEST_F(SnapshotctlTest, VerifyNamesTheFileAndChunkThatIsDamaged) {
  PublishEngine("demo");
  EXPECT_THAT(Ctl({"verify"}).out, HasSubstr("demo/1: whole as far as can be seen"));
  EXPECT_THAT(Ctl({"verify", "demo", "--full"}).out, HasSubstr("read and compared, root "));
  auto bytes = RealFileSystem().Read(FileOf("demo", "pages-1.img"), 1 << 20).value();
  bytes[100] = 'x';
  ASSERT_OK(RealFileSystem().Write(FileOf("demo", "pages-1.img"), bytes, 0600));
  EXPECT_EQ(Ctl({"verify"}).code, kExitOk) << "not seen without reading";
  const Ran damaged = Ctl({"verify", "--full"});
  EXPECT_EQ(damaged.code, kExitNo);
  EXPECT_THAT(damaged.out, HasSubstr("pages-1.img: chunk 0"));
  const Value json = Ctl({"verify", "--full", "-o", "json"}).Json();
  EXPECT_EQ(json.Find("damages")->items()[0].Find("file")->string(), "pages-1.img");
}

TEST_F(SnapshotctlTest, AStorageThatIsNotThereIsAnError) {
  for (const char* const command : {"verify", "list", "gc"}) {
    const Ran ran = RunSnapshotctl({command, "--storage", storage_ / "nowhere"});
    EXPECT_EQ(ran.code, kExitFailed) << command;
    EXPECT_THAT(ran.err, HasSubstr("--storage"));
  }
}

TEST_F(SnapshotctlTest, GcKeepsAndRemovesAsItSays) {
  PublishEngine("old");
  PublishEngine("pinned");
  Manifest fresh = ManifestOf("fresh");
  fresh.created_at = RealClock().WallNow();
  Publish(fresh, {{"inventory.img", "x"}});
  Manifest undated = ManifestOf("undated");
  undated.created_at = {};
  Publish(undated, {{"inventory.img", "x"}});
  const std::string lone = storage_ / "gms/failed/versions/1";
  std::filesystem::create_directories(lone);
  std::filesystem::create_directories(storage_ / "gms/undated/versions/1");
  std::filesystem::create_directories(storage_ / "gms/saving/versions/1");
  std::filesystem::last_write_time(
      lone, std::filesystem::file_time_type::clock::now() - std::chrono::hours(48));
  EXPECT_EQ(Ctl({"gc"}).out, "0 removed, 0 B of artifacts.\n") << "artifacts are not asked about";
  const std::vector<std::string> run = {"gc",     "--older-than", "24h",
                                        "--keep", "pinned",       "--no-cluster"};
  std::vector<std::string> dry = run;
  dry.emplace_back("--dry-run");
  const Ran would = Ctl(dry);
  EXPECT_THAT(would.out,
              AllOf(HasSubstr("pinned/1   kept      its id is still named\n"),
                    HasSubstr("nothing names its id\n"), HasSubstr("2 would be removed, ")));
  EXPECT_THAT(Ctl({"list", "-o", "json"}).JsonLines(), SizeIs(4)) << "only said";
  EXPECT_THAT(Ctl(run).out, HasSubstr("2 removed, "));
  EXPECT_FALSE(std::filesystem::exists(storage_ / "gms/failed"));
  EXPECT_TRUE(std::filesystem::exists(storage_ / "gms/undated/versions/1")) << "of an artifact";
  EXPECT_TRUE(std::filesystem::exists(storage_ / "gms/saving/versions/1")) << "just begun";
  EXPECT_THAT(Ctl({"list", "-o", "json"}).JsonLines(), SizeIs(3));
}

TEST_F(SnapshotctlTest, PreflightNamesTheFieldThatDiffers) {
  PublishEngine("demo");
  const TempDirectory elsewhere;
  const std::string facts = elsewhere / "node.json";
  const auto write = [&](std::string_view kernel, std::string_view architecture,
                         std::string_view features) {
    const std::string text =
        R"({"kernel":")" + std::string(kernel) + R"(","architecture":")" +
        std::string(architecture) + R"(","cpu_features":[)" + std::string(features) +
        R"(],"root":true,"criu_version":"4.2.1","cgroups":"v2","freezer":true,"overlay":true})";
    ASSERT_OK(RealFileSystem().Write(facts, text, 0600));
  };
  write("6.1.0-20", "x86_64", R"("avx2","avx512f")");
  const Ran fits = Ctl({"preflight", "demo", facts, "--image-digest", "sha256:aa"});
  EXPECT_EQ(fits.code, kExitOk) << fits.out;
  EXPECT_THAT(fits.out, HasSubstr("It will restore there.\n"));
  write("5.15.0", "x86_64", R"("avx2")");
  const Ran older = Ctl({"preflight", "demo", facts, "--image-digest", "sha256:bb"});
  EXPECT_EQ(older.code, kExitNo);
  EXPECT_THAT(older.out,
              AllOf(HasSubstr("bad      CPU features  missing: avx512f\n"),
                    HasSubstr("warning  kernel        5.15.0, captured on 6.1.0-18\n"),
                    HasSubstr("bad      image digest  sha256:bb, captured on sha256:aa\n")));
  EXPECT_THAT(older.out, Not(HasSubstr("ibrs"))) << "programs do not use it";
  write("6.1.0-18", "aarch64", "");
  EXPECT_THAT(Ctl({"preflight", "demo", facts}).out,
              HasSubstr("bad      architecture  aarch64, captured on x86_64\n"));
  ASSERT_OK(RealFileSystem().Write(facts, "{}", 0600));
  EXPECT_THAT(Ctl({"preflight", "demo", facts}).err, HasSubstr("snapshotctl check -o json"));
}

TEST(Snapshotctl, CheckPrintsFactsThatPreflightReads) {
  const Value facts = RunSnapshotctl({"check", "-o", "json", "--criu", "/absent"}).Json();
  EXPECT_EQ(facts.Find("criu_version")->string(), "");
  EXPECT_FALSE(facts.Find("usable")->boolean());
  EXPECT_NE(facts.Find("kernel")->string(), "");
  const Ran text = RunSnapshotctl({"check", "--criu", "/absent"});
  EXPECT_EQ(text.code, kExitNo);
  EXPECT_THAT(text.out, AllOf(HasSubstr("bad      CRIU          none\n"),
                              HasSubstr("/absent does not run: install CRIU 4.2 or newer")));
}

TEST(Snapshotctl, ExplainSaysCauseAndFix) {
  const std::string log =
      "(00.000100) Error (criu/util.c:1534): rlimit: Can't setup RLIMIT_NOFILE for self\n"
      "(00.051928) Error (criu/files.c:1): Unknown shit 600 (anon_inode:[io_uring])\n"
      "(00.052000) Error (criu/cr-dump.c:2111): Dumping FAILED.\n";
  const Ran text = RunSnapshotctl({"explain", "-"}, log);
  EXPECT_EQ(text.code, kExitOk) << text.err;
  EXPECT_THAT(text.out, AllOf(StartsWith("Cause:      "), HasSubstr("\nWhat to do: "),
                              HasSubstr("> Unknown shit 600")));
  const Value json = RunSnapshotctl({"explain", "-", "-o", "json"}, log).Json();
  EXPECT_NE(json.Find("reason")->string(), "");
  EXPECT_EQ(RunSnapshotctl({"explain", "-"}, "all is well\n").code, kExitNo);
  EXPECT_EQ(RunSnapshotctl({"explain", "/absent"}).code, kExitFailed);
}

TEST(Snapshotctl, LintLooksAtRunningProcesses) {
  const Value json = RunSnapshotctl({"lint", std::to_string(::getpid()), "-o", "json"}).Json();
  EXPECT_EQ(json.Find("pid")->Int(), ::getpid());
  EXPECT_GT(*json.Find("memory_bytes")->Int(), 0);
  EXPECT_EQ(RunSnapshotctl({"lint", "999999999"}).code, kExitFailed);
  // Of a pod of this node, and what its capture would refuse: this process has the node's network,
  // and no overlay that a runtime has made.
  const TempDirectory directory;
  agent::CriStandIn runtime(directory / "cri.sock");
  runtime.Hold({.id = "c1",
                .labels = {{"io.kubernetes.pod.name", "engine-0"},
                           {"io.kubernetes.pod.namespace", "team"},
                           {"io.kubernetes.container.name", "main"}},
                .info = R"({"pid":)" + std::to_string(::getpid()) + R"(,"runtimeSpec":{}})"});
  for (const char* const pod : {"team/engine-0", "team/engine-0/main"}) {
    const Ran refused = RunSnapshotctl({"lint", pod, "--cri-socket", directory / "cri.sock"});
    EXPECT_EQ(refused.code, kExitNo) << refused.err;
    EXPECT_THAT(refused.out, AnyOf(HasSubstr("overlay"), HasSubstr("HostNetwork")));
  }
  EXPECT_EQ(RunSnapshotctl({"lint", "team/other", "--cri-socket", directory / "cri.sock"}).code,
            kExitFailed);
}

TEST(Snapshotctl, EveryErrorOfTheCommandLineIsOne) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"chekpoint"},
           {"checkpoint", "--absent"},
           {"checkpoint"},
           {"checkpoint", "--manifest", "x", "more"},
           {"checkpoint", "--manifest", "x", "--timeout", "0s"},
           {"restore", "--checkpoint-id", "a"},
           {"restore", "--manifest", "m", "--pod", "p", "--checkpoint-id", "a"},
           {"restore", "--pod", "p"}}) {
    const Ran ran = RunSnapshotctl(arguments);
    EXPECT_EQ(ran.code, kExitFailed) << arguments[0];
    EXPECT_THAT(ran.err, StartsWith("snapshotctl")) << arguments[0];
    EXPECT_EQ(ran.out, "");
  }
  EXPECT_EQ(RunSnapshotctl({}).code, kExitOk);
  EXPECT_EQ(RunSnapshotctl({"help"}).code, kExitOk);
  EXPECT_EQ(RunSnapshotctl({"-h"}).code, kExitOk);
}

TEST(Snapshotctl, EveryCommandTellsItsExitCodesAndCompletes) {
  for (const command_line::CommandRow& row : Snapshotctl().commands()) {
    if (row.name != "help" && row.name != "completion") {
      EXPECT_THAT(RunSnapshotctl({std::string(row.name), "--help"}).out, HasSubstr("Exit codes:"));
    }
    EXPECT_THAT(command_line::BashCompletion(Snapshotctl()), HasSubstr(std::string(row.name)));
  }
}

}  // namespace
}  // namespace hearth::snapshot::ctl
