#include "api/snapshot/pod_snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/snapshot/definitions.h"
#include "base/testing/status_matchers.h"
#include "json/yaml.h"
#include "schema/validate.h"

namespace hearth::api::snapshot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

json::Value Yaml(const std::string& text) { return *json::ParseYamlDocument(text); }

std::vector<std::string> Paths(const std::vector<schema::FieldError>& errors) {
  std::vector<std::string> paths;
  for (const schema::FieldError& error : errors) {
    paths.push_back(error.path);
  }
  return paths;
}

schema::Validator ValidatorOf(size_t definition) {
  auto validator = schema::Validator::Make(Definitions()[definition].versions[0].schema);
  EXPECT_OK(validator);
  return *std::move(validator);
}

constexpr const char* kSnapshot = R"(
apiVersion: nvidia.com/v1alpha1
kind: PodSnapshot
metadata: {name: warm, namespace: inference}
spec:
  source:
    podRef: {name: worker-0, uid: 5f9c, containers: [main]}
)";

TEST(PodSnapshot, IsReadAndWrittenBack) {
  const json::Value object = Yaml(kSnapshot);
  const json::Blob spec = object.Find("spec")->ToBlob();
  const auto read = DecodeAs<PodSnapshotSpec>(spec.view());
  ASSERT_OK(read);
  EXPECT_EQ(read->source.pod.name, "worker-0");
  EXPECT_THAT(read->source.pod.containers, ElementsAre("main"));
  EXPECT_EQ(Encoded(*read), *object.Find("spec"));
}

TEST(PodSnapshot, SchemaTakesOldAndNewObjects) {
  const schema::Validator validator = ValidatorOf(0);
  json::Value object = Yaml(kSnapshot);
  EXPECT_THAT(validator.Validate(object), IsEmpty());
  object.MakePath("spec.source.podRef").Erase("containers");
  EXPECT_THAT(validator.Validate(object), IsEmpty());
}

TEST(PodSnapshot, SchemaRefusesWhatNobodyCouldCapture) {
  const schema::Validator validator = ValidatorOf(0);
  json::Value object = Yaml(kSnapshot);
  object.MakePath("spec.source.podRef").Set("name", "");
  EXPECT_THAT(Paths(validator.Validate(object)), ElementsAre("spec.source.podRef.name"));
  object = Yaml(kSnapshot);
  object.MakePath("spec.source.podRef").Set("containers", json::Value::Array({"a", "b"}));
  EXPECT_THAT(Paths(validator.Validate(object)), ElementsAre("spec.source.podRef.containers"));
  object = Yaml(kSnapshot);
  object.Erase("spec");
  EXPECT_THAT(Paths(validator.Validate(object)), ElementsAre("spec"));
}

// What scripts that read upstream's table look for.
TEST(PodSnapshot, TheUsualColumnsAreShown) {
  const schema::ResourceDefinition definition = PodSnapshotDefinition();
  std::vector<std::string> shown;
  for (const auto& column : definition.versions[0].columns) {
    if (column.priority == 0) {
      shown.push_back(column.name);
    }
  }
  EXPECT_THAT(shown, ::testing::IsSupersetOf({"Content", "Ready", "Age"}));
}

TEST(PodSnapshotContent, NeedsANode) {
  const schema::Validator validator = ValidatorOf(1);
  json::Value object = Yaml(R"(
spec:
  snapshotRef: {namespace: inference, name: warm}
  source: {podRef: {name: worker-0}}
)");
  EXPECT_THAT(Paths(validator.Validate(object)), ElementsAre("spec.source.nodeName"));
  object.MakePath("spec.source").Set("nodeName", "gpu-1");
  EXPECT_THAT(validator.Validate(object), IsEmpty());
}

}  // namespace
}  // namespace hearth::api::snapshot
