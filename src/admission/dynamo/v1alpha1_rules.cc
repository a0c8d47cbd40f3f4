#include "admission/dynamo/v1alpha1_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/dynamo/internal/component_rules.h"
#include "admission/rules/reading.h"
#include "api/conversion/convert.h"
#include "api/dynamo/constants.h"
#include "base/strings.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;
using schema::FieldPath;

constexpr Rule kSidecarNameIsFree{
    "frontend-sidecar-name-is-free",
    "frontendSidecar adds a container of a fixed name. A second container of that name would make "
    "the pod invalid; rename yours."};
constexpr Rule kMountHasPoint{
    "volume-mount-has-point",
    "A claim that is mounted nowhere keeps the pod from being made. Set mountPoint, or mark the "
    "mount as compilation cache, which has a default."};

constexpr size_t kMostServices = 100;  // the schema refuses more than 25

void CheckShadows(const Value& service, const FieldPath& path, Findings& findings) {
  const Value* failover = service.Find("failover");
  const Value* shadows = At(failover, "numShadows");
  const bool intra_pod = Text(At(failover, "mode")) != "interPod";
  const bool told = std::any_of(findings.errors().begin(), findings.errors().end(),
                                [](const Finding& finding) { return finding.rule == &kOneShadow; });
  if (!told && IsTrue(At(failover, "enabled")) && intra_pod && Integer(shadows).value_or(1) > 1) {
    const FieldPath place = path.Child("failover");
    findings.Add(kOneShadow,
                 Invalid(place.Child("numShadows"), *shadows,
                         "is invalid for mode=\"intraPod\": intraPod uses a fixed 1 primary + 1 "
                         "shadow sidecar; use failover.mode=\"interPod\" to configure numShadows"));
  }
}

void CheckSidecar(const Value& service, const FieldPath& path, Findings& findings) {
  if (ObjectOrNull(service.Find("frontendSidecar")) != nullptr &&
      FindNamed(service.FindPath("extraPodSpec.containers"), api::dynamo::kFrontendSidecar) !=
          nullptr) {
    findings.Add(kSidecarNameIsFree,
                 Forbidden(path.Child("frontendSidecar"),
                           "cannot inject frontend sidecar: a container named "
                           "\"sidecar-frontend\" already exists in extraPodSpec.containers"));
  }
}

void CheckMounts(const Value& service, const FieldPath& path, Findings& findings) {
  const auto& mounts = Items(service.Find("volumeMounts"));
  const FieldPath list = path.Child("volumeMounts");
  for (size_t i = 0; i < mounts.size(); ++i) {
    if (!IsTrue(mounts[i].Find("useAsCompilationCache")) &&
        Text(mounts[i].Find("mountPoint")).empty()) {
      findings.Add(kMountHasPoint, Required(list.Item(i).Child("mountPoint"),
                                            "is required when useAsCompilationCache is false"));
    }
  }
}

void WarnOfIgnored(const Value& service, const FieldPath& path, Findings& findings) {
  if (!Text(service.Find("dynamoNamespace")).empty()) {
    findings.Warn(path.Child("dynamoNamespace"),
                  "deprecated and ignored: the Dynamo namespace follows from the graph");
  }
  if (ObjectOrNull(service.Find("autoscaling")) != nullptr) {
    findings.Warn(path.Child("autoscaling"), "deprecated and ignored");
  }
}

bool KeepsOlderFields(const Value& object) {
  return Annotation(object, "nvidia.com/dgd-spec") != nullptr ||
         Annotation(object, "nvidia.com/dcd-spec") != nullptr;
}

void CheckService(const Value& service, const FieldPath& path, Findings& findings) {
  CheckShadows(service, path, findings);
  CheckSidecar(service, path, findings);
  CheckMounts(service, path, findings);
  WarnOfIgnored(service, path, findings);
}

}  // namespace

void CheckOlderForm(const Value& v1alpha1, Findings& findings) {
  const FieldPath spec = FieldPath::Base("spec");
  if (Text(v1alpha1.Find("kind")) == "DynamoComponentDeployment") {
    if (const Value* service = v1alpha1.Find("spec"); service != nullptr) {
      CheckService(*service, spec, findings);
    }
    return;
  }
  const FieldPath services = spec.Child("services");
  size_t checked = 0;
  for (const auto& [name, service] : Members(v1alpha1.FindPath("spec.services"))) {
    if (++checked <= kMostServices) {
      CheckService(service, services.Key(name), findings);
    }
  }
}

void ValidateOlderForm(const Value& object, const Request& request, Findings& findings) {
  if (!KeepsOlderFields(object)) {
    return;
  }
  const auto older = api::conversion::Convert(object, "v1alpha1");
  if (!older.ok()) {
    return;
  }
  Findings now = findings;
  Findings before = findings;  // what the newer form told already
  CheckOlderForm(*older, now);
  if (request.old != nullptr && KeepsOlderFields(*request.old)) {
    const auto stored = api::conversion::Convert(*request.old, "v1alpha1");
    if (stored.ok()) {
      CheckOlderForm(*stored, before);
    }
  }
  AddNew(now, before, findings);
}

RuleList OlderFormRuleList() { return {&kSidecarNameIsFree, &kMountHasPoint}; }

}  // namespace hearth::admission::dynamo
