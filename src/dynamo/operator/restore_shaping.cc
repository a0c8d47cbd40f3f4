#include "dynamo/operator/restore_shaping.h"

#include "dynamo/checkpoint/checkpoint_facts.h"
#include "dynamo/checkpoint/restore_template.h"
#include "dynamo/operator/checkpoint_storage.h"

namespace hearth::dynamo {

Result<json::Value> ShapeNewPod(kube::Client& client, const WaitLimit& limit,
                                const RestoreShaping& shaping, json::Value pod,
                                const json::Value& checkpoint,
                                const std::vector<std::string>& targets) {
  const json::Blob object = checkpoint.ToBlob();
  ASSIGN_OR_RETURN(const CheckpointFacts facts, CheckpointFacts::From(object.view()));
  ASSIGN_OR_RETURN(const LoaderWish loader, LoaderAskedBy(pod));
  ASSIGN_OR_RETURN(const Storage storage,
                   FindStorage(client, limit, shaping.storage, facts.name_space));
  RETURN_IF_ERROR(ShapeForRestore(pod, {.checkpoint_id = facts.Id(),
                                        .artifact_version = facts.artifact_version,
                                        .storage = storage,
                                        .seccomp_profile = shaping.seccomp_profile,
                                        .targets = targets,
                                        .loader = loader}));
  return pod;
}

}  // namespace hearth::dynamo
