#include "admission/dynamo/checkpoint_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/dynamo/internal/gms_client_rules.h"
#include "admission/dynamo/internal/prepared_template.h"
#include "admission/dynamo/internal/snapshot_gate.h"
#include "admission/rules/reading.h"
#include "api/dynamo/constants.h"
#include "base/strings.h"

namespace hearth::admission::dynamo {
namespace {

using api::dynamo::kArtifactVersion;
using api::dynamo::kAutoCheckpoint;
using json::Value;
using schema::FieldPath;

constexpr Rule kTemplateIsPrepared{
    "checkpoint-template-is-prepared",
    "gpuMemoryService of a DynamoCheckpoint says how its pod template is wired and wires nothing "
    "itself. A template without server, claim or clients would be captured without its memory. Add "
    "them, or let a DynamoGraphDeployment make the checkpoint."};
constexpr Rule kJobHasTarget{
    "checkpoint-job-has-target",
    "One container of the Job is captured, by name. Name a container of the pod template."};
constexpr Rule kVersionFits{
    "artifact-version-fits",
    "The version of an artifact becomes part of the name of a Job and of a path. Write up to 15 "
    "lower-case letters, digits and hyphens."};

constexpr size_t kMaxVersion = 15;

bool IsVersion(std::string_view text) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= kMaxVersion && plain(text.front()) && plain(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return plain(c) || c == '-'; });
}

void CheckVersion(const Value& object, Findings& findings) {
  const Value* version = Annotation(object, kArtifactVersion);
  if (version != nullptr && !IsVersion(Text(version))) {
    const FieldPath annotations = FieldPath::Base("metadata.annotations");
    findings.Add(kVersionFits,
                 Invalid(annotations.Key(kArtifactVersion), *version,
                         "must match ^[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$: it becomes part of the "
                         "name of a Job and of a path"));
  }
}

void CheckWiring(const Value& spec, Findings& findings) {
  const auto missing = FindMissingWiring(spec);
  if (missing.empty()) {
    return;
  }
  findings.Add(
      kTemplateIsPrepared,
      Forbidden(FieldPath::Base("spec.gpuMemoryService"),
                "gpuMemoryService is metadata-only; prepare the pod template (GMS server, client "
                "wiring, DRA claim) before creating this object; auto-checkpoints are prepared by "
                "DynamoGraphDeployment: " +
                    missing.front().cause));
  for (const MissingWiring& wiring : missing) {
    findings.Add(kTemplateIsPrepared, Required(FieldPath::Base(wiring.path), wiring.cause));
  }
}

// The operator puts its saver into the Job. What it made itself may already carry it.
void CheckSaver(const Value& object, const Value& memory, const Setup& setup, Findings& findings) {
  const FieldPath spec = FieldPath::Base("spec.job.podTemplateSpec.spec");
  CheckGmsClients(memory, setup, FieldPath::Base("spec.gpuMemoryService"), findings);
  if (ObjectOrNull(memory.Find("checkpoint")) == nullptr ||
      Text(Annotation(object, kAutoCheckpoint)) == "true") {
    return;
  }
  for (const char* list : {"containers", "initContainers"}) {
    const Value* containers = object.FindPath(std::string("spec.job.podTemplateSpec.spec.") + list);
    CheckNotReserved(containers, spec.Child(list), findings);
  }
}

void CheckTarget(const Value& spec, Findings& findings) {
  const std::string_view given = Text(spec.FindPath("job.targetContainerName"));
  const std::string_view name = given.empty() ? api::dynamo::kMainContainer : given;
  if (FindNamed(spec.FindPath("job.podTemplateSpec.spec.containers"), name) == nullptr) {
    findings.Add(kJobHasTarget,
                 Invalid(FieldPath::Base("spec.job.targetContainerName"), Value(name),
                         fmt::format("checkpoint job pod template: pod spec has no container named "
                                     "{}",
                                     schema::QuotedText(Excerpt(name, 63)))));
  }
}

void Check(const Value& object, const Setup& setup, Findings& findings) {
  CheckSnapshotsOn(setup, FieldPath::Base("spec"), findings);
  CheckVersion(object, findings);
  const Value* spec = ObjectOrNull(object.Find("spec"));
  if (spec == nullptr) {
    return;
  }
  const Value* memory = ObjectOrNull(spec->Find("gpuMemoryService"));
  if (memory == nullptr || !IsTrue(memory->Find("enabled"))) {
    CheckTarget(*spec, findings);
    return;
  }
  CheckGmsSnapshotsOn(setup, FieldPath::Base("spec.gpuMemoryService"), findings);
  CheckWiring(*spec, findings);
  CheckSaver(object, *memory, setup, findings);
}

}  // namespace

void ValidateCheckpoint(const Value& object, const Request& request, Findings& findings) {
  AddNewOf(Check, object, request, findings);
}

RuleList CheckpointRuleList() {
  RuleList all = {&kSnapshotsOn, &kGmsSnapshotsOn, &kTemplateIsPrepared, &kJobHasTarget,
                  &kVersionFits};
  for (const Rule* rule : GmsClientRuleList()) {
    all.push_back(rule);
  }
  return all;
}

}  // namespace hearth::admission::dynamo
