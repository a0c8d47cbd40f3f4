#include "snapshot/ctl/internal/pod_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "json/yaml.h"

namespace hearth::snapshot::ctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

json::Value Pod(const std::string& annotation = "") {
  json::Value pod = json::ParseYamlDocument(
                        "metadata: {name: engine}\nspec: {containers: [{name: a, image: i}]}\n")
                        .value();
  if (!annotation.empty()) {
    pod.MakePath("metadata.annotations")
        .Set("nvidia.com/snapshot-target-containers", json::Value(annotation));
  }
  return pod;
}

// A111: the name of the PodSnapshot.
TEST(PodSnapshotName, IsTheJobsCutToALabelsLength) {
  EXPECT_EQ(PodSnapshotName("engine-checkpoint"), "engine-checkpoint");
  const std::string full(63, 'a');
  EXPECT_EQ(PodSnapshotName(full), full);
  EXPECT_EQ(PodSnapshotName(full + "bcd"), full);
  EXPECT_EQ(PodSnapshotName(std::string(62, 'a') + "-checkpoint"), std::string(62, 'a'));
  EXPECT_EQ(PodSnapshotName(std::string(60, 'a') + "-.-x"), std::string(60, 'a'));
  EXPECT_EQ(PodSnapshotName(full + "x"), PodSnapshotName(full + "y")) << "the same each time";
}

// A113: option and annotation.
TEST(ReconcileTargets, OptionAndAnnotationMustAgree) {
  ASSERT_OK_AND_ASSIGN(auto targets, ReconcileTargets("containers", "a", Pod(), 0));
  EXPECT_THAT(targets, ElementsAre("a"));
  ASSERT_OK_AND_ASSIGN(targets, ReconcileTargets("containers", "", Pod("a,b"), 0));
  EXPECT_THAT(targets, ElementsAre("a", "b"));
  ASSERT_OK_AND_ASSIGN(targets, ReconcileTargets("containers", " a , b ", Pod("a,b"), 0));
  EXPECT_THAT(targets, ElementsAre("a", "b"));
}

// A113: what is refused.
TEST(ReconcileTargets, WhatMakesNoSenseIsRefused) {
  const auto message = [](std::string_view option, const std::string& annotation, size_t most) {
    return ReconcileTargets("container", option, Pod(annotation), most).status().ToString();
  };
  EXPECT_THAT(message("a", "b", 1), HasSubstr("does not match manifest"));
  EXPECT_THAT(message("", "", 1), HasSubstr("target containers are required"));
  EXPECT_THAT(message("  ", "", 1), HasSubstr("target containers are required"));
  EXPECT_THAT(message("a,b", "", 1), HasSubstr("at most 1"));
  EXPECT_THAT(message("a,,b", "", 0), HasSubstr("--container"));
  EXPECT_THAT(message("", "a,a", 0), HasSubstr("nvidia.com/snapshot-target-containers"));
}

TEST(PodManifest, HasKindNameAndImages) {
  EXPECT_OK(CheckPodManifest(Pod()));
  json::Value pod = Pod();
  pod.Set("kind", "Deployment");
  EXPECT_THAT(CheckPodManifest(pod).ToString(), HasSubstr("not a Deployment"));
  pod = Pod();
  pod["metadata"].Set("name", " ");
  EXPECT_THAT(CheckPodManifest(pod).ToString(), HasSubstr("metadata.name"));
  pod = Pod();
  pod["spec"].Set("containers", json::Value::Array());
  EXPECT_THAT(CheckPodManifest(pod).ToString(), HasSubstr("at least one container"));
  pod = Pod();
  pod["spec"]["containers"].Append(json::Value::Object({{"name", "b"}}));
  EXPECT_THAT(CheckPodManifest(pod).ToString(), HasSubstr("spec.containers[1].image"));
}

TEST(PodManifest, AFailureNamesTheFile) {
  const TempDirectory directory;
  const std::string path = directory / "pod.yaml";
  ASSERT_OK(RealFileSystem().Write(path, "kind: Service\n", 0600));
  EXPECT_THAT(LoadPodManifest(RealFileSystem(), path).status().ToString(), HasSubstr(path));
  EXPECT_THAT(LoadPodManifest(RealFileSystem(), path + "x").status().ToString(), HasSubstr(path));
}

TEST(ChooseNamespace, WhatWasAskedForComesFirst) {
  json::Value pod = Pod();
  EXPECT_EQ(ChooseNamespace("", pod, "of-context"), "of-context");
  EXPECT_EQ(ChooseNamespace("", pod, ""), "default");
  pod["metadata"].Set("namespace", "in-manifest");
  EXPECT_EQ(ChooseNamespace(" ", pod, "of-context"), "in-manifest");
  EXPECT_EQ(ChooseNamespace("asked", pod, "of-context"), "asked");
}

}  // namespace
}  // namespace hearth::snapshot::ctl
