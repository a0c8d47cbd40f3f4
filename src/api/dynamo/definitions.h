#pragma once

#include <string>
#include <vector>

#include "schema/crd.h"

namespace hearth::api::dynamo {

// The Service that the API server asks to convert objects between versions.
struct ConversionService {
  std::string name_space = "hearth-system";
  std::string name = "hearth-webhook";
};

// DynamoGraphDeployment, DynamoComponentDeployment (v1beta1 is stored, v1alpha1 served),
// DynamoCheckpoint and DynamoWorkerMetadata (v1alpha1).
std::vector<schema::ResourceDefinition> Definitions(const ConversionService& service = {});

// One alone: a definition is large, and not everybody needs all.
schema::ResourceDefinition GraphDeploymentDefinition(const ConversionService& service = {});
schema::ResourceDefinition ComponentDeploymentDefinition(const ConversionService& service = {});
schema::ResourceDefinition CheckpointDefinition();
schema::ResourceDefinition WorkerMetadataDefinition();

}  // namespace hearth::api::dynamo
