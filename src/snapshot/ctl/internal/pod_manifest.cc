#include "snapshot/ctl/internal/pod_manifest.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "json/yaml.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/targets.h"

namespace hearth::snapshot::ctl {
namespace {

using json::Value;

constexpr uint64_t kMaxManifestBytes = 4ULL << 20U;
constexpr size_t kMaxNameCharacters = 63;

std::string TextAt(const Value& object, std::string_view path) {
  const Value* const value = object.FindPath(path);
  return value == nullptr ? "" : std::string(Trim(value->StringOr("")));
}

std::string AnnotationOf(const Value& pod) {
  const Value* const annotations = pod.FindPath("metadata.annotations");
  const Value* const targets =
      annotations == nullptr ? nullptr : annotations->Find(kTargetsAnnotation);
  return targets == nullptr ? "" : targets->StringOr("");
}

Status CheckContainers(const Value& pod) {
  const Value* const containers = pod.FindPath("spec.containers");
  if (containers == nullptr || !containers->IsArray() || containers->items().empty()) {
    return InvalidError("spec.containers must have at least one container");
  }
  for (size_t i = 0; i < containers->items().size(); ++i) {
    if (TextAt(containers->items()[i], "image").empty()) {
      return InvalidError(fmt::format("spec.containers[{}].image is required", i));
    }
  }
  return Status::Ok();
}

}  // namespace

Status CheckPodManifest(const Value& pod) {
  if (!pod.IsObject()) {
    return InvalidError("the manifest is no object");
  }
  if (const std::string kind = TextAt(pod, "kind"); !kind.empty() && kind != "Pod") {
    return InvalidError(fmt::format("the manifest must be a Pod, not a {}", Excerpt(kind, 80)));
  }
  if (TextAt(pod, "metadata.name").empty()) {
    return InvalidError("metadata.name is required");
  }
  return CheckContainers(pod);
}

Result<Value> LoadPodManifest(FileSystem& files, const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, files.Read(path, kMaxManifestBytes));
  auto pod = json::ParseYamlDocument(text);
  if (!pod.ok()) {
    return pod.status().WithContext(path);
  }
  if (Status checked = CheckPodManifest(*pod); !checked.ok()) {
    return checked.WithContext(path);
  }
  pod->Set("apiVersion", "v1");
  pod->Set("kind", "Pod");
  return pod;
}

Result<std::vector<std::string>> ReconcileTargets(std::string_view option_name,
                                                  std::string_view option, const Value& pod,
                                                  size_t most) {
  ASSIGN_OR_RETURN(auto asked, ParseTargets(option).WithContext("--" + std::string(option_name)));
  ASSIGN_OR_RETURN(auto named, ParseTargets(AnnotationOf(pod)).WithContext(kTargetsAnnotation));
  if (!asked.empty() && !named.empty() && asked != named) {
    return InvalidError(fmt::format(
        "--{} {} does not match manifest annotation {}, which says {}: drop one or make them the "
        "same",
        option_name, FormatTargets(asked), kTargetsAnnotation, FormatTargets(named)));
  }
  std::vector<std::string> targets = asked.empty() ? std::move(named) : std::move(asked);
  if (targets.empty()) {
    return InvalidError(
        fmt::format("target containers are required: give --{} or the annotation {}", option_name,
                    kTargetsAnnotation));
  }
  if (most != 0 && targets.size() > most) {
    return InvalidError(fmt::format("{} name {} target containers; at most {} can be used",
                                    FormatTargets(targets), targets.size(), most));
  }
  return targets;
}

std::string ChooseNamespace(std::string_view asked, const Value& pod, std::string_view of_context) {
  const std::string in_manifest = TextAt(pod, "metadata.namespace");
  for (const std::string_view name : {Trim(asked), std::string_view(in_manifest), of_context}) {
    if (!name.empty()) {
      return std::string(name);
    }
  }
  return "default";
}

std::string PodSnapshotName(std::string_view job) {
  std::string_view name = job.substr(0, kMaxNameCharacters);
  while (name.ends_with('-') || name.ends_with('.')) {
    name.remove_suffix(1);
  }
  return std::string(name);
}

}  // namespace hearth::snapshot::ctl
