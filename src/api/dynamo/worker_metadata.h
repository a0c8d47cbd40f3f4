#pragma once

#include "api/table/node.h"

namespace hearth::api::dynamo {

// DynamoWorkerMetadata: written by workers, to find each other. The operator never reads it.
Node WorkerMetadataRoot();

}  // namespace hearth::api::dynamo
