// The definitions under deploy/crds, on a real server and through kubectl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "eventually.h"
#include "json/yaml.h"
#include "kube/testing/control_plane.h"

namespace hearth::kube {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr uint64_t kMostBytes = 1 << 20;  // etcd takes little more in one object

std::string Directory() { return std::string(HEARTH_SOURCE_DIR) + "/deploy/crds"; }

class Crds : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    server_ = SharedControlPlane(&why_not);
    if (server_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
  }
  void ApplyAndCheck(const std::string& path) {
    const auto text = RealFileSystem().Read(path, kMostBytes);
    ASSERT_OK(text);
    ASSERT_OK(server_->Kubectl(
        {"apply", "--server-side", "--warnings-as-errors", "--field-manager=hearth", "-f", path}));
    const auto crd = json::ParseYamlDocument(*text);
    ASSERT_OK(crd);
    const std::string name = crd->FindPath("metadata.name")->string();
    // Right after it was made there is no status to wait on.
    ASSERT_TRUE(Eventually([&] {
      return server_
          ->Kubectl({"wait", "--for=condition=Established", "--timeout=20s", "crd/" + name})
          .ok();
    }));
    // Schemas that are not structural are told as a condition, not as an error.
    const auto conditions =
        server_->Kubectl({"get", "crd", name, "-o", "jsonpath={.status.conditions[*].type}"});
    ASSERT_OK(conditions);
    EXPECT_THAT(*conditions, Not(HasSubstr("NonStructural")));
    EXPECT_TRUE(Eventually([&] {
      const auto explained = server_->Kubectl({"explain", name + ".spec"});
      return explained.ok() && explained->find("DESCRIPTION") != std::string::npos;
    }));
  }

  TestControlPlane* server_ = nullptr;
};

TEST_F(Crds, ApplyWithoutAWarningAndAreExplained) {
  const auto names = RealFileSystem().List(Directory());
  ASSERT_OK(names);
  ASSERT_FALSE(names->empty());
  for (const std::string& name : *names) {
    SCOPED_TRACE(name);
    ApplyAndCheck(Directory() + "/" + name);
  }
}

}  // namespace
}  // namespace hearth::kube
