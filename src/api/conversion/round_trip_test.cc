// N1: there and back again is the same object.
#include <gtest/gtest.h>

#include "api/conversion/convert.h"
#include "api/conversion/internal/kinds.h"
#include "api/conversion/internal/object_map.h"
#include "api/conversion/testing/random_object.h"
#include "api/dynamo/component_deployment.h"
#include "api/dynamo/graph_deployment.h"
#include "api/dynamo/v1alpha1_component.h"
#include "api/dynamo/v1alpha1_graph_deployment.h"
#include "base/testing/status_matchers.h"

namespace hearth::api::conversion {
namespace {

using json::Value;
using testing::RandomObjects;

struct Version {
  const char* kind;
  const char* from;
  const char* to;
  schema::SchemaPtr schema;
};

std::vector<Version> Versions() {
  return {{"DynamoGraphDeployment", "v1alpha1", "v1beta1",
           dynamo::v1alpha1::GraphDeploymentRoot().Share()},
          {"DynamoGraphDeployment", "v1beta1", "v1alpha1", dynamo::GraphDeploymentRoot().Share()},
          {"DynamoComponentDeployment", "v1alpha1", "v1beta1",
           dynamo::v1alpha1::ComponentDeploymentRoot().Share()},
          {"DynamoComponentDeployment", "v1beta1", "v1alpha1",
           dynamo::ComponentDeploymentRoot().Share()}};
}

TEST(RoundTrip, EveryObjectComesBackAsItWas) {
  for (const Version& version : Versions()) {
    RandomObjects objects(7);
    for (int i = 0; i < 5000; ++i) {
      const Value object = objects.Object(*version.schema, version.kind, version.from);
      const auto there = Convert(object, version.to);
      if (!there.ok()) {
        ADD_FAILURE() << there.status() << object.WritePretty();
        return;
      }
      const auto back = Convert(*there, version.from);
      ASSERT_OK(back);
      ASSERT_EQ(back->WriteCanonical(), object.WriteCanonical()) << i << "\n"
                                                                 << object.WritePretty() << "\n"
                                                                 << there->WritePretty();
    }
  }
}

}  // namespace
}  // namespace hearth::api::conversion
