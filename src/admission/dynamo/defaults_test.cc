#include "admission/dynamo/defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/dynamo/testing/small_door.h"
#include "admission/rules/reading.h"
#include "api/dynamo/constants.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;

Value WithDefaults(Value object, const Request& request = {}) {
  SetGraphDefaults(object, request);
  Value again = object;
  SetGraphDefaults(again, request);
  EXPECT_EQ(object, again) << "twice is not the same as once";
  return object;
}

const Value& Worker(const Value& graph) { return graph.FindPath("spec.components")->items()[1]; }

TEST(GraphDefaults, AreOneReplicaAndOnGroveOneAvailable) {
  const Value graph = WithDefaults(Graph());
  EXPECT_EQ(*Worker(graph).Find("replicas"), Value(1));
  EXPECT_EQ(*Worker(graph).Find("minAvailable"), Value(1));
  const Value off = WithDefaults(Graph(), {.setup = {.grove = false}});
  EXPECT_EQ(*Worker(off).Find("replicas"), Value(1));
  EXPECT_EQ(Worker(off).Find("minAvailable"), nullptr);
  const Value opted_out =
      WithDefaults(Graph("{}", "{metadata: {annotations: {nvidia.com/enable-grove: \"false\"}}}"));
  EXPECT_EQ(Worker(opted_out).Find("minAvailable"), nullptr);
}

TEST(GraphDefaults, LeaveWhatIsThere) {
  const Value graph = WithDefaults(Graph("{replicas: 0, minAvailable: 3}"));
  EXPECT_EQ(*Worker(graph).Find("replicas"), Value(0));
  EXPECT_EQ(*Worker(graph).Find("minAvailable"), Value(3));
}

TEST(GraphDefaults, StampTheVersionOnACreateOnly) {
  const admission::Setup setup = {.operator_version = "1.2.3"};
  const std::string_view key = api::dynamo::kOriginVersion;
  const Value stamped = WithDefaults(Graph(), {.setup = setup});
  EXPECT_EQ(Text(Annotation(stamped, key)), "1.2.3");
  // The user's own stays.
  const Value own = WithDefaults(
      Graph("{}", "{metadata: {annotations: {nvidia.com/dynamo-operator-origin-version: 0.9.0}}}"),
      {.setup = setup});
  EXPECT_EQ(Text(Annotation(own, key)), "0.9.0");
  // An operator that does not know its version stamps none.
  EXPECT_EQ(WithDefaults(Graph()).FindPath("metadata.annotations"), nullptr);
  // An update neither stamps an old graph nor loses the stamp of a newer one.
  const Value unstamped = Graph();
  const Request update{.operation = Operation::kUpdate, .old = &unstamped, .setup = setup};
  EXPECT_EQ(Annotation(WithDefaults(Graph(), update), key), nullptr);
  const Request replace{.operation = Operation::kUpdate, .old = &stamped, .setup = setup};
  EXPECT_EQ(Text(Annotation(WithDefaults(Graph(), replace), key)), "1.2.3");
}

TEST(GraphDefaults, PassOverWhatIsNoGraph) {
  for (const char* yaml : {"null", "[]", "text", "{}", "{spec: 1}", "{spec: {components: {}}}",
                           "{metadata: 1, spec: {components: [1, null, []]}}",
                           "{metadata: {annotations: []}, spec: {components: [{replicas: x}]}}"}) {
    WithDefaults(Yaml(yaml), {.setup = {.operator_version = "1.2.3"}});
  }
}

Value Named(Value object, Operation operation) {
  SetComponentDeploymentDefaults(object, {.operation = operation});
  return object;
}

TEST(ComponentDeploymentDefaults, NameTheComponentAfterTheObject) {
  EXPECT_EQ(
      Text(Named(Component("{spec: {name: null}}"), Operation::kCreate).FindPath("spec.name")),
      "solo");
  EXPECT_EQ(
      Text(Named(Component("{spec: {name: \"\"}}"), Operation::kCreate).FindPath("spec.name")),
      "solo");
  EXPECT_EQ(Text(Named(Component("{spec: {name: own}}"), Operation::kCreate).FindPath("spec.name")),
            "own");
  EXPECT_EQ(Named(Component("{spec: {name: null}}"), Operation::kUpdate).FindPath("spec.name"),
            nullptr);
  EXPECT_EQ(Text(Named(Component("{spec: null}"), Operation::kCreate).FindPath("spec.name")),
            "solo");
  for (const char* yaml : {"null", "[]", "{}", "{metadata: {name: a}, spec: 1}"}) {
    Named(Yaml(yaml), Operation::kCreate);
  }
}

}  // namespace
}  // namespace hearth::admission::dynamo
