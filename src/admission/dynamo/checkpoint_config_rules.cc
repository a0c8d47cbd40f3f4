#include <fmt/format.h>

#include "admission/dynamo/internal/backend.h"
#include "admission/dynamo/internal/component_rules.h"
#include "admission/dynamo/internal/job_overlay.h"
#include "admission/dynamo/internal/snapshot_gate.h"
#include "admission/rules/reading.h"
#include "api/dynamo/constants.h"
#include "base/strings.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;
using schema::FieldPath;
using schema::Forbidden;

constexpr Rule kNoFailoverSnapshot{
    "snapshot-not-with-inter-pod-failover",
    "Pods of inter-pod failover cannot be captured and restored one by one. Use mode IntraPod, or "
    "turn the checkpoint or failover off."};
constexpr Rule kTargetFitsKeys{
    "checkpoint-target-length",
    "The name of the target becomes part of annotation keys, which have room for 33 characters of "
    "it. Give the container a shorter name.",
    /*in_schema=*/true};
constexpr Rule kTargetExists{
    "checkpoint-target-exists",
    "A container is captured and restored by name. One that is not there cannot be; name a "
    "container of podTemplate."};

constexpr size_t kMaxTargetLength = 33;

void CheckLayout(const ComponentFacts& component, const FieldPath& place, Findings& findings) {
  if (component.InterPodFailover()) {
    findings.Add(
        kNoFailoverSnapshot,
        Forbidden(place, "Snapshot with active/passive failover is temporarily unsupported"));
  }
}

void CheckTarget(const ComponentFacts& component, const FieldPath& place, Findings& findings) {
  const Value* target = component.checkpoint->Find("targetContainerName");
  const std::string_view name = Text(target);
  const FieldPath where = place.Child("targetContainerName");
  if (name.size() > kMaxTargetLength) {
    findings.Add(kTargetFitsKeys,
                 Invalid(where, *target,
                         "must be at most 33 characters long: the name becomes part of annotation "
                         "keys"));
  }
  // Containers of failover are restored under the names of its engines; main is always there.
  if (!name.empty() && name != api::dynamo::kMainContainer && !component.IntraPodFailover() &&
      FindNamed(component.containers, name) == nullptr) {
    findings.Add(kTargetExists,
                 Invalid(where, *target,
                         fmt::format("checkpoint restore target {} does not exist in pod spec",
                                     schema::QuotedText(Excerpt(name, 63)))));
  }
}

// The Job has the target, what its own template adds, and the operator's saver.
void WarnOfClients(const ComponentFacts& component, const FieldPath& place, Findings& findings) {
  const Value* job = component.checkpoint->Find("job");
  const auto& clients = Items(At(job, "gmsClientContainers"));
  auto known = Names(At(job, "podTemplate.spec.containers"));
  known.insert(Text(component.checkpoint->Find("targetContainerName")));
  known.insert(api::dynamo::kGmsSaver);
  for (const Value& client : clients) {
    if (client.IsString() && !known.contains(client.string())) {
      findings.Warn({place.ToString() + ".job.gmsClientContainers",
                     fmt::format("the Job has no container {}; it has the target and those of "
                                 "job.podTemplate",
                                 schema::QuotedText(Excerpt(client.string(), 63)))});
      return;
    }
  }
}

void WarnOfBackend(const ComponentFacts& component, const ComponentContext& context,
                   const FieldPath& place, Findings& findings) {
  const bool automatic = Text(component.checkpoint->Find("checkpointRef")).empty();
  const bool known = !context.backend.empty() || !DetectBackends(component.main).empty() ||
                     At(component.checkpoint, "identity.backendFramework") != nullptr;
  if (context.in_graph && automatic && !known) {
    findings.Warn(place,
                  fmt::format("checkpoint backend framework for component {} could not be "
                              "determined; set spec.backendFramework or use a recognizable worker "
                              "command",
                              Excerpt(component.name, 63)));
  }
}

}  // namespace

void CheckCheckpointConfig(const ComponentFacts& component, const ComponentContext& context,
                           const FieldPath& path, Findings& findings) {
  if (component.checkpoint == nullptr) {
    return;
  }
  const FieldPath experimental = path.Child("experimental");
  const FieldPath place = experimental.Child("checkpoint");
  CheckSnapshotsOn(context.setup, place, findings);
  if (component.memory != nullptr) {
    CheckGmsSnapshotsOn(context.setup, place, findings);
  }
  CheckLayout(component, place, findings);
  CheckTarget(component, place, findings);
  CheckJobOverlay(component.checkpoint->Find("job"), place.Child("job"), findings);
  WarnOfClients(component, place, findings);
  WarnOfBackend(component, context, place, findings);
}

RuleList CheckpointConfigRuleList() {
  return {&kSnapshotsOn,    &kGmsSnapshotsOn, &kNoFailoverSnapshot,
          &kTargetFitsKeys, &kTargetExists,   &kJobOverlayIsStrict};
}

}  // namespace hearth::admission::dynamo
