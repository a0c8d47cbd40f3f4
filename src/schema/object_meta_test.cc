#include "schema/object_meta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::schema {
namespace {

using json::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Value Yaml(const std::string& text) { return json::ParseYamlDocument(text).value(); }

std::vector<std::string> Paths(const std::vector<FieldError>& errors) {
  std::vector<std::string> paths;
  for (const FieldError& error : errors) {
    paths.push_back(error.path);
  }
  return paths;
}

std::vector<std::string> Check(const std::string& text) {
  return Paths(ValidateObjectMeta(Yaml(text), {}));
}

TEST(CoerceObjectMeta, DropsWhatIsUnknownOrEmptyAndTellsTheUnknown) {
  std::vector<std::string> unknown;
  ASSERT_OK_AND_ASSIGN(
      const Value meta,
      CoerceObjectMeta(Yaml("{name: a, x: 1, labels: {}, namespace: '', generation: 0, "
                            "ownerReferences: [{name: o, z: 1}], finalizers: null}"),
                       FieldPath::Base("metadata"), &unknown));
  EXPECT_EQ(meta.Write(),
            R"({"name":"a","ownerReferences":[{"apiVersion":"","kind":"","name":"o","uid":""}]})");
  EXPECT_THAT(unknown, ElementsAre("metadata.ownerReferences[0].z", "metadata.x"));
}

TEST(CoerceObjectMeta, WritesTimesInOneForm) {
  ASSERT_OK_AND_ASSIGN(const Value meta,
                       CoerceObjectMeta(Yaml("{creationTimestamp: '2026-01-01T01:00:00.5+01:00'}"),
                                        FieldPath::Base("metadata"), nullptr));
  EXPECT_EQ(meta.Write(), R"({"creationTimestamp":"2026-01-01T00:00:00Z"})");
}

TEST(CoerceObjectMeta, RefusesWrongTypes) {
  for (const char* text : {"5", "{labels: {a: 1}}", "{name: 5}", "{finalizers: x}",
                           "{generation: x}", "{creationTimestamp: x}", "{ownerReferences: [1]}",
                           "{ownerReferences: [{controller: x}]}"}) {
    EXPECT_CODE(Code::kInvalid, CoerceObjectMeta(Yaml(text), FieldPath::Base("metadata"), nullptr));
  }
}

TEST(ValidateObjectMeta, NamesAreDnsNames) {
  EXPECT_THAT(Check("{name: a.b, namespace: ns}"), IsEmpty());
  EXPECT_THAT(Check("{name: A, namespace: ns.m}"),
              ElementsAre("metadata.name", "metadata.namespace"));
  EXPECT_THAT(Check("{}"), ElementsAre("metadata.name", "metadata.namespace"));
  EXPECT_THAT(Check("{name: a, generateName: a-, namespace: ns}"), IsEmpty());
  EXPECT_THAT(Paths(ValidateObjectMeta(Yaml("{name: a, namespace: ns}"), {.namespaced = false})),
              ElementsAre("metadata.namespace"));
}

TEST(ValidateObjectMeta, LabelsAnnotationsOwnersAndFinalizersAreChecked) {
  EXPECT_THAT(Check("{name: a, namespace: ns, labels: {'a b': '-'}}"),
              ElementsAre("metadata.labels", "metadata.labels"));
  EXPECT_THAT(Check("{name: a, namespace: ns, annotations: {'A/b': any thing}}"), IsEmpty());
  EXPECT_THAT(Check("{name: a, namespace: ns, finalizers: [orphan, foregroundDeletion]}"),
              ElementsAre("metadata.finalizers"));
  EXPECT_EQ(Check("{name: a, namespace: ns, ownerReferences: [{}]}").size(), 4u);
}

TEST(ValidateObjectMeta, AnnotationsHaveALimitInAll) {
  Value meta = Yaml("{name: a, namespace: ns}");
  meta["annotations"]["a"] = std::string((256 << 10) - 1, 'x');
  EXPECT_THAT(ValidateObjectMeta(meta, {}), IsEmpty());
  meta["annotations"]["b"] = "";
  EXPECT_THAT(Paths(ValidateObjectMeta(meta, {})), ElementsAre("metadata.annotations"));
}

TEST(ValidateObjectMetaUpdate, WhatNamesAnObjectStays) {
  const Value old = Yaml("{name: a, namespace: ns, uid: u, resourceVersion: '1', generation: 2}");
  EXPECT_THAT(ValidateObjectMetaUpdate(old, old), IsEmpty());
  EXPECT_THAT(Paths(ValidateObjectMetaUpdate(Yaml("{name: b, namespace: ns, uid: v}"), old)),
              ElementsAre("metadata.resourceVersion", "metadata.generation", "metadata.name",
                          "metadata.uid"));
}

TEST(ValidateObjectMetaUpdate, ADyingObjectGetsNoNewFinalizers) {
  const Value old =
      Yaml("{name: a, resourceVersion: '1', deletionTimestamp: x, finalizers: [a/b]}");
  Value meta = old;
  meta["finalizers"].Append("c/d");
  EXPECT_THAT(Paths(ValidateObjectMetaUpdate(meta, old)), ElementsAre("metadata.finalizers"));
  meta["finalizers"] = Value::Array();
  EXPECT_THAT(ValidateObjectMetaUpdate(meta, old), IsEmpty());
}

}  // namespace
}  // namespace hearth::schema
