// What people write goes through the whole door: definitions, defaults and the rules of the
// webhooks. What is refused is refused for the reason that docs/compatibility.md gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "admission/door/door.h"
#include "api/catalog/catalog.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::admission {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

// As upstream's webhooks refuse them, or, of an endpoint picker, because nothing here drives one.
const std::map<std::string, std::string>& Refused() {
  static const std::map<std::string, std::string> kRefused = {
      {"grove/multinode-disaggregated.yaml",
       "spec.template.cliques[3].spec.roleName: Duplicate value: \"pleader\""},
      {"grove/on-delete.yaml",
       "multi-node NVLink is not enabled in this operator; only none is allowed"},
      {"dynamo/endpoint-picker.yaml", "components of type \"epp\" are not supported"},
      {"dynamo/endpoint-picker-v1alpha1.yaml", "components of type \"epp\" are not supported"}};
  return kRefused;
}

struct Manifest {
  std::string file;
  json::Value object;
};

// As kubectl does.
void SetNamespace(json::Value& object) {
  const auto* kind =
      api::FindKind(object.Find("apiVersion")->string(), object.Find("kind")->string());
  if (kind != nullptr && kind->definition.namespaced &&
      object.FindPath("metadata.namespace") == nullptr) {
    object["metadata"]["namespace"] = "default";
  }
}

std::vector<Manifest> Manifests() {
  std::vector<Manifest> manifests;
  for (const char* folder : {"tests/manifests", "examples"}) {
    const fs::path root = fs::path(HEARTH_SOURCE_DIR) / folder;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".yaml") {
        continue;
      }
      const auto text = RealFileSystem().Read(entry.path().string(), 1 << 20);
      auto documents = json::ParseYaml(text.value());
      for (json::Value& object : documents.value()) {
        SetNamespace(object);
        manifests.push_back({fs::relative(entry.path(), root).string(), std::move(object)});
      }
    }
  }
  return manifests;
}

std::vector<std::string> Texts(const std::vector<Finding>& findings) {
  std::vector<std::string> texts;
  for (const Finding& finding : findings) {
    texts.push_back(finding.error.ToString());
  }
  return texts;
}

TEST(Manifests, GoThroughTheWholeDoor) {
  std::map<std::string, int> refused;
  int admitted_count = 0;
  for (const Manifest& manifest : Manifests()) {
    SCOPED_TRACE(manifest.file);
    const auto admitted = Admit(manifest.object, {});
    if (admitted.status().Is(Code::kNotFound)) {
      continue;  // a Service, a Secret
    }
    ASSERT_OK(admitted);
    EXPECT_THAT(admitted->unknown_fields, IsEmpty());
    const auto reason = Refused().find(manifest.file);
    if (reason == Refused().end()) {
      EXPECT_THAT(Texts(admitted->errors), IsEmpty());
      ++admitted_count;
    } else if (!admitted->errors.empty()) {
      EXPECT_THAT(Texts(admitted->errors), Each(HasSubstr(reason->second)));
      ++refused[manifest.file];
    }
  }
  EXPECT_GE(admitted_count, 40);
  EXPECT_EQ(refused.size(), Refused().size());
}

// Nothing else is wrong with them.
TEST(Manifests, RefusedOnesPassWithoutTheReason) {
  for (Manifest& manifest : Manifests()) {
    SCOPED_TRACE(manifest.file);
    if (manifest.file == "grove/multinode-disaggregated.yaml") {
      manifest.object.MakePath("spec.template.cliques").items()[3]["spec"]["roleName"] = "dleader";
    } else if (manifest.file == "grove/on-delete.yaml") {
      manifest.object["metadata"].Erase("annotations");
      manifest.object.MakePath("spec.template.podCliqueScalingGroups")
          .items()[0]
          .Erase("annotations");
    } else {
      continue;
    }
    const auto admitted = Admit(manifest.object, {});
    ASSERT_OK(admitted);
    EXPECT_THAT(Texts(admitted->errors), IsEmpty());
  }
}

}  // namespace
}  // namespace hearth::admission
