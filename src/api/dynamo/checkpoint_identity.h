#pragma once

#include <map>
#include <optional>
#include <string>

#include "api/dynamo/backend_framework.h"
#include "api/table/struct_table.h"

namespace hearth::api::dynamo {

// What a checkpoint was made of, as far as users told. Kept for objects that are looked up by its
// hash; new ones are found by name.
struct CheckpointIdentity {
  std::string model;
  BackendFramework backend_framework = BackendFramework::kVllm;
  std::string dynamo_version;
  int32_t tensor_parallel_size = 1;
  int32_t pipeline_parallel_size = 1;
  std::string dtype;
  std::optional<int32_t> max_model_len;
  std::map<std::string, std::string> extra_parameters;
  static const StructTable& Fields();
};

namespace v1alpha1 {

// Older versions and DynamoCheckpoint take an empty model.
Node CheckpointIdentityNode();

}  // namespace v1alpha1
}  // namespace hearth::api::dynamo
