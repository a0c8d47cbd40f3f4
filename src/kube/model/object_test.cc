#include "kube/model/object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::kube {
namespace {

using ::testing::ElementsAre;

Object Parsed(std::string_view text) {
  auto blob = json::Parse(text);
  EXPECT_OK(blob);
  return blob.ok() ? Object(*std::move(blob)) : Object();
}

TEST(Meta, ReadsWhatEveryObjectCarries) {
  const Object pod = Parsed(R"({"apiVersion":"v1","kind":"Pod","metadata":{
      "name":"p","namespace":"n","uid":"u","resourceVersion":"7","generation":3,
      "deletionTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"web"},
      "annotations":{"a.b/c":"d"},"finalizers":["x/y","z"]}})");
  const Meta meta = pod.meta();
  EXPECT_EQ(meta.key(), (ObjectKey{"n", "p"}));
  EXPECT_EQ(meta.uid(), "u");
  EXPECT_EQ(meta.resource_version(), "7");
  EXPECT_EQ(meta.generation(), 3);
  EXPECT_TRUE(meta.deleting());
  EXPECT_EQ(meta.kind(), "Pod");
  EXPECT_EQ(meta.api_version(), "v1");
  EXPECT_EQ(meta.label("app"), "web");
  EXPECT_EQ(meta.label("none"), std::nullopt);
  EXPECT_EQ(meta.annotation("a.b/c"), "d");
  EXPECT_THAT(meta.finalizers(), ElementsAre("x/y", "z"));
  EXPECT_TRUE(meta.HasFinalizer("z"));
  EXPECT_FALSE(meta.HasFinalizer("x"));
}

TEST(Meta, AnEmptyObjectHasNothing) {
  const Object nothing;
  EXPECT_EQ(nothing.meta().key(), ObjectKey());
  EXPECT_FALSE(nothing.meta().deleting());
  EXPECT_TRUE(nothing.meta().owners().empty());
  EXPECT_EQ(nothing.meta().controller(), std::nullopt);
}

TEST(Meta, FindsTheControllerAmongTheOwners) {
  const Object pod = Parsed(R"({"metadata":{"ownerReferences":[
      {"apiVersion":"v1","kind":"Node","name":"n","uid":"1"},
      {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":"2","controller":true,
       "blockOwnerDeletion":true}]}})");
  ASSERT_EQ(pod.meta().owners().size(), 2u);
  const auto controller = pod.meta().controller();
  ASSERT_TRUE(controller.has_value());
  EXPECT_EQ(*controller, (OwnerReference{"apps/v1", "ReplicaSet", "r", "2", true, true}));
}

TEST(OwnerReference, ReadsWhatItWrites) {
  for (const bool flag : {false, true}) {
    const OwnerReference owner{"apps/v1", "ReplicaSet", "r", "2", flag, !flag};
    const json::Blob blob = owner.ToValue().ToBlob();
    EXPECT_EQ(OwnerReference::From(blob.view()), owner);
  }
}

TEST(NewObject, NamesTypeAndKey) {
  EXPECT_EQ(
      NewObject(types::Deployments(), {"n", "d"}).Write(),
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"n"}})");
  EXPECT_EQ(NewObject(types::Nodes(), {"", "x"}).Write(),
            R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"x"}})");
}

}  // namespace
}  // namespace hearth::kube
