// What deploy/agent sets up is what the agent counts on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "agent/node/settings.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "json/yaml.h"

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

}  // namespace
}  // namespace hearth::agent::node
