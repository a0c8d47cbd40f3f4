#include "admission/dynamo/v1alpha1_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

constexpr Rule kKeptFieldsFit{
    "kept-fields-fit",
    "Fields that only v1alpha1 has are kept in an annotation. When putting them back takes too "
    "much work, nobody could read the object as v1alpha1 any more, nor list others with it. Leave "
    "the annotation as the conversion wrote it, or remove it."};
constexpr Rule kReadableAsOlder{
    "readable-as-v1alpha1",
    "Who asks for v1alpha1 gets the object converted, in a list with all others. One that cannot "
    "be "
    "converted would fail every such list. Fields that v1alpha1 has no word for are kept in an "
    "annotation, and an API server takes 256 KiB of annotations in all: shorten the field that is "
    "named, or the object's own annotations."};

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
  constexpr std::array kKept = {"nvidia.com/dgd-spec", "nvidia.com/dgd-status",
                                "nvidia.com/dcd-spec", "nvidia.com/dcd-status"};
  return std::any_of(kKept.begin(), kKept.end(),
                     [&](const char* key) { return Annotation(object, key) != nullptr; });
}

void CheckService(const Value& service, const FieldPath& path, Findings& findings) {
  CheckShadows(service, path, findings);
  CheckSidecar(service, path, findings);
  CheckMounts(service, path, findings);
  WarnOfIgnored(service, path, findings);
}

Result<Value> OlderForm(const Value& object) {
  return api::conversion::Convert(object, "v1alpha1");
}

// Components of the same name have no older form either, which the schema says better.
bool IsUnreadable(const Status& older) {
  return older.Is(Code::kInvalid) && older.reason() != api::conversion::kNamesClashReason;
}

// A message of the conversion begins with the place that it is about.
schema::FieldError TellWhy(std::string_view message) {
  const size_t end = message.find(": ");
  const bool is_path = end != std::string_view::npos && message.starts_with("spec") &&
                       message.substr(0, end).find(' ') == std::string_view::npos;
  if (!is_path) {
    return Forbidden(FieldPath::Base("spec"), std::string(message));
  }
  return Forbidden(FieldPath::Base(message.substr(0, end)), std::string(message.substr(end + 2)));
}

void AddUnreadable(const Status& older, Findings& findings) {
  if (older.reason() == api::conversion::kUnkeptReason) {
    findings.Add(kKeptFieldsFit,
                 Forbidden(FieldPath::Base("metadata.annotations"), std::string(older.message())));
  } else {
    findings.Add(kReadableAsOlder, TellWhy(older.message()));
  }
}

// What is stored already may be changed, and mended, whatever is wrong with it now.
void CheckUnreadable(const Status& older, const Request& request, Findings& findings) {
  if (IsUnreadable(older) &&
      (request.old == nullptr || !IsUnreadable(OlderForm(*request.old).status()))) {
    AddUnreadable(older, findings);
  }
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
  const auto older = OlderForm(object);
  if (!older.ok()) {
    CheckUnreadable(older.status(), request, findings);
    return;
  }
  if (!KeepsOlderFields(object)) {
    return;
  }
  Findings now = findings;
  Findings before = findings;  // what the newer form told already
  CheckOlderForm(*older, now);
  if (request.old != nullptr && KeepsOlderFields(*request.old)) {
    if (const auto older_before = OlderForm(*request.old); older_before.ok()) {
      CheckOlderForm(*older_before, before);
    }
  }
  AddNew(now, before, findings);
}

void ValidateReadable(const Value& object, const Request& request, Findings& findings) {
  CheckUnreadable(OlderForm(object).status(), request, findings);
}

RuleList OlderFormRuleList() {
  return {&kSidecarNameIsFree, &kMountHasPoint, &kKeptFieldsFit, &kReadableAsOlder};
}

}  // namespace hearth::admission::dynamo
