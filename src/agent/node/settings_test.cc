#include "agent/node/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/node/program.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "json/yaml.h"

namespace hearth::agent::node {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

Result<Settings> Read(const std::string& yaml) {
  Settings settings;
  settings.agent.node = "node-1";
  RETURN_IF_ERROR(ReadConfiguration(yaml, settings));
  RETURN_IF_ERROR(CompleteSettings(settings));
  return settings;
}

TEST(AgentSettings, ReadsWhatTheChartWrites) {
  const auto settings = Read(R"(
storage: {type: pvc, basePath: /checkpoints}
overlay: {exclusions: [/proc, "*.pyc"]}
restore: {restoreTimeoutSeconds: 60}
capture: {timeoutSeconds: 90}
limits: {captures: 1, restores: 8, bytesInFlight: 8Gi}
criu: {tcpEstablished: false, ghostLimit: 1024}
)");
  ASSERT_OK(settings);
  EXPECT_EQ(settings->storage_directory, "/checkpoints");
  EXPECT_THAT(settings->exclusions, ElementsAre("/proc", "*.pyc"));
  EXPECT_EQ(settings->agent.restore_timeout, 60s);
  EXPECT_EQ(settings->agent.capture_timeout, 90s);
  EXPECT_EQ(settings->agent.limits.captures, 1);
  EXPECT_EQ(settings->agent.limits.restores, 8);
  EXPECT_EQ(settings->agent.limits.bytes_in_flight, uint64_t{8} << 30);
  EXPECT_EQ(settings->criu.ghost_limit, 1024U);
  EXPECT_FALSE(settings->agent.needs_pod_ip);
  EXPECT_EQ(settings->runtime_socket, "/run/containerd/containerd.sock");
}

// CRIU's log and what it knows of the kernel are beside the journals: of "journal", that would be
// /.
TEST(AgentSettings, PathsMeanTheSameFromEverywhere) {
  Settings settings;
  settings.agent.node = "node-1";
  settings.storage_directory = "store";
  settings.binaries = "./criu/";
  settings.host_proc = "/host/proc/";
  settings.journal_directory = "journal";
  ASSERT_OK(CompleteSettings(settings));
  const std::string here = std::filesystem::current_path();
  EXPECT_EQ(settings.storage_directory, here + "/store");
  EXPECT_EQ(settings.binaries, here + "/criu");
  EXPECT_EQ(settings.host_proc, "/host/proc");
  EXPECT_EQ(settings.journal_directory, here + "/journal");
}

// A95: only the directory where the volume is; blanks around it are fine.
TEST(AgentSettings, TheStorageIsWhereTheVolumeIs) {
  EXPECT_OK(Read("storage: {basePath: ' /checkpoints '}"));
  EXPECT_OK(Read("storage: {pvc: {basePath: /checkpoints}}"));
  for (const char* path : {"checkpoints", "/", "/checkpoints/", "/data", "/checkpoints/../etc"}) {
    const auto settings = Read(std::string("storage: {basePath: ") + path + "}");
    EXPECT_TRUE(settings.status().Is(Code::kInvalid)) << path;
    EXPECT_THAT(settings.status().message(), HasSubstr("storage.basePath")) << path;
  }
  const auto nothing = Read("");
  EXPECT_CODE(Code::kInvalid, nothing);
  EXPECT_THAT(nothing.status().message(), HasSubstr("storage.basePath is missing"));
}

// A46, A62: artifacts that workloads mount themselves, at a path of theirs, are no longer served.
TEST(AgentSettings, WrongValuesAreNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {"storage: {type: s3}", "storage.type"},
      {"storage: {accessMode: podMount}", "storage.accessMode"},
      {"storage: pvc", "storage"},
      {"restore: {restoreTimeoutSeconds: 0}", "restore.restoreTimeoutSeconds"},
      {"restore: {restoreTimeoutSeconds: soon}", "restore.restoreTimeoutSeconds"},
      {"restore: {otherNamespaces: maybe}", "restore.otherNamespaces"},
      {"restore: {otherImages: maybe}", "restore.otherImages"},
      {"limits: {captures: 0}", "limits.captures"},
      {"limits: {bytesInFlight: many}", "limits.bytesInFlight"},
      {"overlay: {exclusions: all}", "overlay.exclusions"},
      {"capture: {compression: gzip}", "capture.compression"},
      {"{capture: {compression: zstd}, criu: {lazyPages: true}}", "criu.lazyPages"},
      {"criu: {logLevel: high}", "criu"},
      {"criu: {tcpClose: true, tcpEstablished: true}", "criu"},
      {"criu: {imageIoMode: sideways}", "criu"},
      {"- a\n- b", "one map"},
      {"a: [", "configuration"},
  };
  for (const auto& [yaml, name] : cases) {
    Settings settings;
    settings.agent.node = "node-1";
    settings.storage_directory = "/checkpoints";
    Status status = ReadConfiguration(yaml, settings);
    status = status.ok() ? CompleteSettings(settings) : status;
    EXPECT_TRUE(status.Is(Code::kInvalid)) << yaml;
    EXPECT_THAT(status.message(), HasSubstr(name)) << yaml;
  }
}

// What is deployed is what is read.
TEST(AgentSettings, TheManifestsFileIsUnderstood) {
  const auto text = RealFileSystem().Read(
      std::string(HEARTH_SOURCE_DIR) + "/deploy/agent/daemonset.yaml", 1 << 20);
  ASSERT_OK(text);
  const auto documents = json::ParseYaml(*text);
  ASSERT_OK(documents);
  const json::Value* const data = documents->at(0).Find("data");
  ASSERT_NE(data, nullptr);
  const auto settings = Read(data->Find("config.yaml")->string());
  ASSERT_OK(settings);
  EXPECT_THAT(settings->notes, ElementsAre());
  EXPECT_EQ(settings->agent.restore_timeout, 7200s);
}

TEST(AgentSettings, MemoryIsCompressedWhenThatIsAskedFor) {
  const std::string storage = "storage: {basePath: /checkpoints}\n";
  EXPECT_FALSE(Read(storage)->compress);
  EXPECT_FALSE(Read(storage + "capture: {compression: none}")->compress);
  EXPECT_TRUE(Read(storage + "capture: {compression: zstd}")->compress);
}

TEST(AgentSettings, UnknownKeysAreNotedAndOldOnesPassedOver) {
  const auto settings = Read(
      "storage: {basePath: /checkpoints, colour: red}\n"
      "restore: {nsRestorePath: /usr/local/bin/nsrestore}\nfuture: {a: 1}");
  ASSERT_OK(settings);
  EXPECT_THAT(settings->notes, ElementsAre(HasSubstr("storage.colour"), HasSubstr("future")));
}

TEST(AgentSettings, TheNodeMustBeKnown) {
  Settings settings;
  settings.storage_directory = "/checkpoints";
  const Status status = CompleteSettings(settings);
  EXPECT_CODE(Code::kInvalid, status);
  EXPECT_THAT(status.message(), HasSubstr("NODE_NAME"));
}

TEST(AgentSettings, LogLevelsOfTheEnvironment) {
  const auto level = [](const char* word) {
    Settings settings;
    ReadLogLevel(word, settings);
    return settings.manager.log_level + (settings.notes.empty() ? "" : " noted");
  };
  EXPECT_EQ(level("trace"), "debug");
  EXPECT_EQ(level("warn"), "warning");
  EXPECT_EQ(level("error"), "error");
  EXPECT_EQ(level(""), "info");
  EXPECT_EQ(level("loud"), "info noted");
}

TEST(AgentSettings, OptionsGoBeforeTheFile) {
  TempDirectory directory;
  const std::string file = directory.path() + "/config.yaml";
  Settings settings;
  std::string help;
  const std::string config = "--config=" + file;
  const char* const arguments[] = {"snapshot-agent", "--node-name=node-7", config.c_str(),
                                   "--storage-directory=/var/lib/checkpoints", "--runtime=crio"};
  const auto parsed = ReadSettings(
      5, arguments, [](const char*) { return ""; }, settings, help);
  ASSERT_OK(parsed);
  EXPECT_EQ(settings.storage_directory, "/var/lib/checkpoints");
  EXPECT_EQ(settings.runtime_socket, "/var/run/crio/crio.sock");
  EXPECT_THAT(help, HasSubstr("NODE_NAME"));
}

TEST(AgentSettings, WhatKeepsItFromStartingIsTheExitCode) {
  const StopSignal stop;
  const char* const unknown[] = {"snapshot-agent", "--runtime=podman"};
  const auto never = [](const Settings&, controller::Manager&, const Logger&) -> Result<NodeParts> {
    return InternalError("nothing to work on");
  };
  EXPECT_EQ(RunSnapshotAgent(2, unknown, stop, never), 1);
  const char* const no_storage[] = {"snapshot-agent", "--node-name=n", "--config=/nowhere.yaml"};
  EXPECT_EQ(RunSnapshotAgent(3, no_storage, stop, never), 1);
}

}  // namespace
}  // namespace hearth::agent::node
