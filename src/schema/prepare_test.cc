#include "schema/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::schema {
namespace {

using json::Value;
using ::testing::ElementsAre;

Value Yaml(const std::string& text) { return json::ParseYamlDocument(text).value(); }

SchemaPtr TestSchema() {
  return FromJson(Yaml(R"(
type: object
properties:
  spec:
    type: object
    properties:
      a: {type: integer, default: 5}
      b: {type: string}
      pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
)"))
      .value();
}

TEST(Prepare, DoesAllInTheServersOrder) {
  Value object = Yaml(
      "{metadata: {name: one, z: 1}, spec: {a: null, b: null, c: 1, pod: {kind: Pod, metadata: "
      "{name: p, q: 1}, x: 1}}}");
  ASSERT_OK_AND_ASSIGN(const auto unknown, Prepare(object, *TestSchema()));
  EXPECT_THAT(unknown, ElementsAre("metadata.z", "spec.c", "spec.pod.metadata.q"));
  EXPECT_EQ(object,
            Yaml("{metadata: {name: one}, spec: {a: 5, pod: {kind: Pod, metadata: {name: p}, "
                 "x: 1}}}"));
}

TEST(Prepare, RefusesWhatCannotBeRead) {
  for (const char* text : {"[]", "{kind: 5}", "{metadata: {labels: 5}}", "{spec: {pod: {kind: 5}}}",
                           "{spec: {pod: {metadata: []}}}"}) {
    Value object = Yaml(text);
    EXPECT_CODE(Code::kInvalid, Prepare(object, *TestSchema()));
  }
}

}  // namespace
}  // namespace hearth::schema
