#include "api/dynamo/checkpoint_id.h"

#include <gtest/gtest.h>

namespace hearth::api::dynamo {
namespace {

IdentityParts Llama13b() {
  return {.model = "meta-llama/Llama-2-13b-hf",
          .backend_framework = "sglang",
          .dynamo_version = "0.4.2",
          .tensor_parallel_size = 2,
          .pipeline_parallel_size = 1,
          .dtype = "float16",
          .max_model_len = 4096,
          .extra_parameters = {{"gpu_memory_utilization", "0.9"}}};
}

// A107, with those below.
TEST(CheckpointId, H1KnownIdentitiesHaveTheirKnownHashes) {
  EXPECT_EQ(IdentityHash({.model = "meta-llama/Llama-2-7b-hf", .backend_framework = "vllm"}),
            "96429b2725761a09");
  EXPECT_EQ(IdentityHash(Llama13b()), "f4ba65bccbb8e4fb");
  EXPECT_EQ(IdentityHash({.model = "a&b<c>", .backend_framework = "vllm"}), "d796eb2c5ecc63a6");
}

TEST(CheckpointId, H2WhatMeansTheSameHashesTheSame) {
  IdentityParts one{.model = "m", .backend_framework = "vllm"};
  IdentityParts other = one;
  other.tensor_parallel_size = 1;
  other.pipeline_parallel_size = 1;
  EXPECT_EQ(IdentityHash(one), IdentityHash(other));
  EXPECT_EQ(IdentityHash(one), IdentityHash(one));
  one.extra_parameters = {{"a", "1"}, {"b", "2"}};
  other.extra_parameters = {{"b", "2"}, {"a", "1"}};
  EXPECT_EQ(IdentityHash(one), IdentityHash(other));
}

TEST(CheckpointId, H3AnotherModelFrameworkOrParameterHashesDifferently) {
  const std::string base = IdentityHash(Llama13b());
  IdentityParts changed = Llama13b();
  changed.model = "other";
  EXPECT_NE(IdentityHash(changed), base);
  changed = Llama13b();
  changed.backend_framework = "vllm";
  EXPECT_NE(IdentityHash(changed), base);
  changed = Llama13b();
  changed.extra_parameters["x"] = "y";
  EXPECT_NE(IdentityHash(changed), base);
}

TEST(CheckpointId, H4RandomIdsAre32HexDigitsAndDiffer) {
  const std::string id = RandomCheckpointId();
  EXPECT_EQ(id.size(), 32U);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(id, RandomCheckpointId());
}

TEST(CheckpointId, H5AutoIdFollowsGraphWorkerHashAndComponent) {
  const AutoCheckpointParts parts{"default", "my-dgd", "uid-1", "worker", "abc12345"};
  const std::string id = AutoCheckpointId(parts);
  EXPECT_EQ(id, "ef546284f45d8c6e5598b5c5b6eb711a");
  AutoCheckpointParts changed = parts;
  changed.graph_uid = "uid-2";
  EXPECT_NE(AutoCheckpointId(changed), id);
  changed = parts;
  changed.worker_hash = "other";
  EXPECT_NE(AutoCheckpointId(changed), id);
  changed = parts;
  changed.component_name = "prefill";
  EXPECT_NE(AutoCheckpointId(changed), id);
}

}  // namespace
}  // namespace hearth::api::dynamo
