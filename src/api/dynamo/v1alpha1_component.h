#pragma once

#include <vector>

#include "api/table/struct_table.h"

// The older versions. Only described: they are converted as JSON, and everything else reads the
// newer ones.
namespace hearth::api::dynamo::v1alpha1 {

// A service of a graph and the spec of a DynamoComponentDeployment, but for backendFramework. Takes
// whatever it always took: names are not checked, and partial containers are fine.
std::vector<Field> ServiceFields();
std::vector<schema::Rule> ServiceRules();

Node ServiceNode();

// The whole DynamoComponentDeployment.
Node ComponentDeploymentRoot();

}  // namespace hearth::api::dynamo::v1alpha1
