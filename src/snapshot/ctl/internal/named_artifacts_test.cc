#include "snapshot/ctl/internal/named_artifacts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parse.h"

namespace hearth::snapshot::ctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

NamedArtifacts NamedBy(std::string_view json) {
  NamedArtifacts named;
  const kube::Object object(*json::Parse(json));
  AddNamed(object.meta().kind(), object, named);
  return named;
}

TEST(NamedArtifacts, AContentNamesWhatItsStatusSaysAndWhatWasMadeForIt) {
  const NamedArtifacts named = NamedBy(
      R"({"kind":"PodSnapshotContent","metadata":{"name":"c","uid":"u-1"},
          "status":{"artifact":{"checkpointID":"a","version":"2"}}})");
  EXPECT_THAT(named.ids, ElementsAre("a"));
  Manifest manifest;
  EXPECT_FALSE(named.HasContentOf(manifest)) << "of nobody";
  manifest.content_uid = "u-1";
  EXPECT_TRUE(named.HasContentOf(manifest));
  manifest.content_uid = "u-2";
  EXPECT_FALSE(named.HasContentOf(manifest));
}

TEST(NamedArtifacts, LabelsCountWhereverTheyAre) {
  EXPECT_THAT(NamedBy(R"({"kind":"PodSnapshot","metadata":{"labels":
                        {"nvidia.com/snapshot-checkpoint-id":"own"}}})")
                  .ids,
              ElementsAre("own"));
  EXPECT_THAT(NamedBy(R"({"kind":"Deployment","spec":{"template":{"metadata":{"labels":
                        {"nvidia.com/snapshot-checkpoint-id":"pods"}}}}})")
                  .ids,
              ElementsAre("pods"));
  EXPECT_THAT(NamedBy(R"({"kind":"PodCliqueSet","spec":{"template":{"cliques":[
                        {"labels":{"nvidia.com/snapshot-checkpoint-id":"one"}},
                        {"labels":{"nvidia.com/snapshot-checkpoint-id":"two"}}]}}})")
                  .ids,
              ElementsAre("one", "two"));
}

TEST(NamedArtifacts, ADynamoCheckpointNamesItsId) {
  EXPECT_THAT(NamedBy(R"({"kind":"DynamoCheckpoint","status":{"checkpointID":"model"}})").ids,
              ElementsAre("model"));
  EXPECT_THAT(NamedBy(R"({"kind":"DynamoCheckpoint","status":{"identityHash":"old"}})").ids,
              ElementsAre("old"));
}

TEST(NamedArtifacts, OthersNameNothing) {
  const NamedArtifacts named =
      NamedBy(R"({"kind":"Deployment","metadata":{"uid":"u","labels":{"app":"x"}}})");
  EXPECT_THAT(named.ids, IsEmpty());
  EXPECT_THAT(named.contents, IsEmpty());
}

}  // namespace
}  // namespace hearth::snapshot::ctl
