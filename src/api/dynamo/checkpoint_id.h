#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace hearth::api::dynamo {

// What makes two checkpoints interchangeable; see DynamoCheckpoint's spec.identity.
struct IdentityParts {
  std::string model;
  std::string backend_framework;
  std::string dynamo_version;
  int64_t tensor_parallel_size = 0;    // 0 counts as 1
  int64_t pipeline_parallel_size = 0;  // 0 counts as 1
  std::string dtype;
  int64_t max_model_len = 0;
  std::map<std::string, std::string> extra_parameters;
};

// The first 16 hex digits of SHA-256 over the identity as Go's encoder writes it. Names of existing
// checkpoints come from this: it must never change by a byte.
std::string IdentityHash(const IdentityParts& identity);

struct AutoCheckpointParts {
  std::string name_space;
  std::string graph_name;
  std::string graph_uid;
  std::string component_name;
  std::string worker_hash;  // only for workers
};

// The id of the checkpoint that the operator makes for a component: 32 hex digits, the same for the
// same component of the same graph.
std::string AutoCheckpointId(const AutoCheckpointParts& parts);

// 32 hex digits that nobody else has.
std::string RandomCheckpointId();

}  // namespace hearth::api::dynamo
