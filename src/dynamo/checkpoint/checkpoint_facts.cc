#include "dynamo/checkpoint/checkpoint_facts.h"

#include "api/dynamo/checkpoint_id.h"
#include "api/dynamo/constants.h"
#include "dynamo/model/component.h"
#include "dynamo/model/labels.h"
#include "json/time.h"
#include "snapshot/protocol/checkpoint_id.h"
#include "snapshot/protocol/names.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;

std::string Entry(json::View object, const char* map, std::string_view key) {
  return object["metadata"][map][key].StringOr("");
}

bool HasFinalizer(json::View metadata) {
  for (const json::View item : metadata["finalizers"].items()) {
    if (item.Equals(kFinalizer)) {
      return true;
    }
  }
  return false;
}

std::string HashOf(const dyn::CheckpointIdentity& identity) {
  return dyn::IdentityHash(
      {.model = identity.model,
       .backend_framework = std::string(EngineName(identity.backend_framework)),
       .dynamo_version = identity.dynamo_version,
       .tensor_parallel_size = identity.tensor_parallel_size,
       .pipeline_parallel_size = identity.pipeline_parallel_size,
       .dtype = identity.dtype,
       .max_model_len = identity.max_model_len.value_or(0),
       .extra_parameters = identity.extra_parameters});
}

}  // namespace

Result<CheckpointFacts> CheckpointFacts::From(json::View object) {
  const json::View metadata = object["metadata"];
  CheckpointFacts facts;
  facts.name = metadata["name"].StringOr("");
  facts.name_space = metadata["namespace"].StringOr("");
  facts.uid = metadata["uid"].StringOr("");
  facts.generation = metadata["generation"].Int().value_or(0);
  facts.deleting = metadata["deletionTimestamp"].exists();
  facts.held = HasFinalizer(metadata);
  facts.automatic = Entry(object, "annotations", dyn::kAutoCheckpoint) == "true";
  if (const auto time = json::Time::Parse(metadata["creationTimestamp"].StringOr("")); time.ok()) {
    facts.created = time->at;
  }
  facts.id_label = Entry(object, "labels", snapshot::kCheckpointIdLabel);
  facts.artifact_version =
      snapshot::ArtifactVersionOr1(Entry(object, "annotations", snapshot::kVersionAnnotation));
  facts.retries = Entry(object, "annotations", kRetriesAnnotation);
  facts.tries = Entry(object, "annotations", kTriesAnnotation);
  ASSIGN_OR_RETURN(facts.spec, api::DecodeAs<dyn::CheckpointSpec>(object["spec"]));
  // What somebody else wrote into the status and nobody understands is written anew.
  facts.status =
      api::DecodeAs<dyn::CheckpointStatus>(object["status"]).value_or(dyn::CheckpointStatus());
  return facts;
}

std::string CheckpointFacts::Id() const {
  for (const std::string* const id : {&status.checkpoint_id, &status.identity_hash, &id_label}) {
    if (!id->empty()) {
      return *id;
    }
  }
  return HashOf(spec.identity);
}

std::string CheckpointFacts::JobName() const {
  return snapshot::CheckpointJobName(Id(), artifact_version);
}

const dyn::v1alpha1::GpuMemoryService* CheckpointFacts::memory() const {
  return spec.gpu_memory_service && spec.gpu_memory_service->enabled ? &*spec.gpu_memory_service
                                                                     : nullptr;
}

}  // namespace hearth::dynamo
