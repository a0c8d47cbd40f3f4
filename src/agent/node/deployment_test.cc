// What deploy/agent sets up is what the agent counts on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "agent/node/settings.h"
#include "base/file_system.h"
#include "base/process_runner.h"
#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "json/parse.h"
#include "json/yaml.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent::node {
namespace {

using json::Value;

class DeploymentTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto text = RealFileSystem().Read(
        std::string(HEARTH_SOURCE_DIR) + "/deploy/agent/daemonset.yaml", 1 << 20);
    ASSERT_OK(text);
    auto documents = json::ParseYaml(*text);
    ASSERT_OK(documents);
    documents_ = *std::move(documents);
    for (Value& document : documents_) {
      if (document["kind"].StringOr("") == "DaemonSet") {
        pod_ = &document["spec"]["template"]["spec"];
      }
    }
    ASSERT_NE(pod_, nullptr);
  }

  static Value* Named(Value& list, std::string_view name) {
    for (Value& item : list.items()) {
      if (item["name"].StringOr("") == name) {
        return &item;
      }
    }
    return nullptr;
  }
  // The volume that holds a path in a container: the deepest mount on the way.
  Value* VolumeAt(Value& container, const std::string& path) {
    Value* found = nullptr;
    size_t depth = 0;
    for (Value& mount : container["volumeMounts"].items()) {
      const std::string at(mount["mountPath"].StringOr(""));
      if ((path == at || path.starts_with(at + "/")) && at.size() > depth) {
        depth = at.size();
        found = Named((*pod_)["volumes"], mount["name"].StringOr(""));
      }
    }
    return found;
  }
  Value& ConfigMap(std::string_view name) {
    for (Value& document : documents_) {
      if (document["kind"].StringOr("") == "ConfigMap" &&
          document["metadata"]["name"].StringOr("") == name) {
        return document["data"];
      }
    }
    ADD_FAILURE() << "there is no ConfigMap " << name;
    return documents_.front();
  }
  static std::string ReplaceAll(std::string text, const std::string& from, const std::string& to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
      text.replace(at, from.size(), to);
      at += to.size();
    }
    return text;
  }
  Value& Agent() { return *Named((*pod_)["containers"], "agent"); }

  std::vector<Value> documents_;
  Value* pod_ = nullptr;
};

TEST_F(DeploymentTest, JournalsAreOfTheNodeAndOutliveThePod) {
  Value* const volume = VolumeAt(Agent(), Settings().journal_directory);
  ASSERT_NE(volume, nullptr) << "they are in the container's own layer";
  EXPECT_EQ((*volume)["hostPath"]["path"].StringOr(""), "/run/hearth");
  EXPECT_EQ((*volume)["hostPath"]["type"].StringOr(""), "DirectoryOrCreate");
}

// Every way to the node that the manifest opens is in the page that says what for, and no other.
TEST_F(DeploymentTest, PrivilegesAreThoseThatAreExplained) {
  ASSERT_OK_AND_ASSIGN(const std::string page,
                       RealFileSystem().Read(HEARTH_SOURCE_DIR "/docs/snapshot-agent.md", 1 << 20));
  std::set<std::string> explained;
  std::string_view table = page;
  table.remove_prefix(table.find("On the node, `deploy/agent/daemonset.yaml`:"));
  table = table.substr(0, table.find("\n\nIt uses neither"));
  for (const std::string_view line : Split(table, '\n')) {
    // What is in backticks in the first cell.
    const auto words = Split(Split(line, '|').size() > 1 ? Split(line, '|')[1] : "", '`');
    for (size_t i = 1; i < words.size(); i += 2) {
      explained.emplace(words[i]);
    }
  }
  // Names of ours, not the node's.
  explained.erase("/host/proc");
  explained.erase("deploy-seccomp");
  std::set<std::string> given;
  for (Value& volume : (*pod_)["volumes"].items()) {
    if (volume.Find("hostPath") != nullptr) {
      given.emplace(volume["hostPath"]["path"].StringOr(""));
    }
  }
  for (const char* const right : {"hostPID", "hostNetwork", "hostIPC"}) {
    if (pod_->Find(right) != nullptr) {
      given.emplace(right);
    }
  }
  for (const auto& [name, value] : Agent()["securityContext"].members()) {
    given.emplace(name);
  }
  EXPECT_EQ(given, explained);
}

// CRIU keeps what it finds out about the kernel only where it goes with the kernel.
TEST_F(DeploymentTest, CriuNeedNotAskTheKernelForEachCapture) {
  Value* const volume = VolumeAt(Agent(), "/run/criu.kdat");
  ASSERT_NE(volume, nullptr) << "it is in the container's own layer";
  EXPECT_EQ((*volume)["emptyDir"]["medium"].StringOr(""), "Memory");
}

// Killed before its time is over, an agent would leave captures cut off.
TEST_F(DeploymentTest, WhatRunsMayEndBeforeThePodIsKilled) {
  const auto grace = (*pod_)["terminationGracePeriodSeconds"].Int();
  ASSERT_TRUE(grace);
  EXPECT_GE(std::chrono::seconds(*grace), AgentOptions().drain + std::chrono::seconds(30));
}

// It answers once what an agent before it left is set right; killed in the middle of that it would
// begin again, for ever.
TEST_F(DeploymentTest, AnAgentThatSetsThingsRightIsNotKilledForNotAnswering) {
  Value& probe = Agent()["startupProbe"];
  EXPECT_EQ(probe["httpGet"]["path"].StringOr(""), "/healthz");
  EXPECT_EQ(probe["httpGet"]["port"].StringOr(""),
            Agent()["livenessProbe"]["httpGet"]["port"].StringOr(""));
  const int64_t most =
      probe["periodSeconds"].Int().value_or(0) * probe["failureThreshold"].Int().value_or(0);
  // Four steps of ten seconds for each of forty captures.
  EXPECT_GE(std::chrono::seconds(most), std::chrono::minutes(27));
}

// Pods that we shape name a profile; kubelets start none whose profile is not there.
TEST_F(DeploymentTest, TheSeccompProfileIsWhereThePodsNameIt) {
  Value* const init = Named((*pod_)["initContainers"], "deploy-seccomp");
  ASSERT_NE(init, nullptr);
  // Its command, run as it is, on folders that stand for its volumes.
  const TempDirectory folders;
  std::string script = (*init)["command"].items().back().StringOr("");
  std::string node_folder;
  for (Value& mount : (*init)["volumeMounts"].items()) {
    const std::string at = mount["mountPath"].StringOr("");
    Value& volume = *Named((*pod_)["volumes"], mount["name"].StringOr(""));
    const std::string folder = folders / mount["name"].StringOr("");
    ASSERT_OK(RealFileSystem().MakeDirectories(folder, 0700));
    if (volume.Find("configMap") != nullptr) {
      for (const auto& [name, text] :
           ConfigMap(volume["configMap"]["name"].StringOr("")).members()) {
        ASSERT_OK(RealFileSystem().Write(folder + "/" + name, text.StringOr(""), 0644));
      }
    } else if (volume["hostPath"]["path"].StringOr("") == "/var/lib/kubelet/seccomp") {
      node_folder = folder;
    }
    script = ReplaceAll(script, at + "/", folder + "/");
  }
  const auto ran = RealProcessRunner().Run({.argv = {"sh", "-ec", script}}, WaitLimit::Forever());
  ASSERT_OK(ran);
  ASSERT_TRUE(ran->ok()) << ran->errors;
  const auto text =
      RealFileSystem().Read(node_folder + "/" + std::string(snapshot::kSeccompProfile), 1 << 20);
  ASSERT_OK(text);

  ASSERT_OK_AND_ASSIGN(Value profile, json::ParseValue(*text));
  EXPECT_EQ(profile["defaultAction"].StringOr(""), "SCMP_ACT_ALLOW");
  ASSERT_EQ(profile["syscalls"].items().size(), 1U);
  Value& refused = profile["syscalls"].items()[0];
  EXPECT_EQ(refused["action"].StringOr(""), "SCMP_ACT_ERRNO");
  std::vector<std::string> names;
  for (const Value& name : refused["names"].items()) {
    names.push_back(name.StringOr(""));
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("io_uring_setup", "io_uring_enter",
                                                   "io_uring_register"));
}

}  // namespace
}  // namespace hearth::agent::node
