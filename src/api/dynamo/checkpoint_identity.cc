#include "api/dynamo/checkpoint_identity.h"

#include "api/dynamo/internal/edit_schema.h"

namespace hearth::api::dynamo {

const StructTable& CheckpointIdentity::Fields() {
  static const StructTable table(
      "What a checkpoint is made of.",
      {Field("model", &CheckpointIdentity::model, String().MinLength(1),
             "The model, for example meta-llama/Llama-3-70B.")
           .Required(),
       Field("backendFramework", &CheckpointIdentity::backend_framework,
             String().Enum({"vllm", "sglang", "trtllm"}), "The engine that runs it.")
           .Required(),
       Field("dynamoVersion", &CheckpointIdentity::dynamo_version, "Version of Dynamo."),
       Field("tensorParallelSize", &CheckpointIdentity::tensor_parallel_size,
             Integer32().Min(1).Default(1), "Number of GPUs each layer is split over."),
       Field("pipelineParallelSize", &CheckpointIdentity::pipeline_parallel_size,
             Integer32().Min(1).Default(1), "Number of stages the layers are split into."),
       Field("dtype", &CheckpointIdentity::dtype, "Data type of the weights: fp16, bf16, fp8."),
       Field("maxModelLen", &CheckpointIdentity::max_model_len, Integer32().Min(1),
             "Longest sequence, in tokens."),
       Field("extraParameters", &CheckpointIdentity::extra_parameters,
             "Whatever else makes two checkpoints different.")});
  return table;
}

namespace v1alpha1 {

Node CheckpointIdentityNode() {
  return internal::EditedAt(Node(CheckpointIdentity::Fields().schema()), "model",
                            [](schema::Schema& model) { model.min_length.reset(); });
}

}  // namespace v1alpha1
}  // namespace hearth::api::dynamo
