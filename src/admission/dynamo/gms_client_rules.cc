#include "admission/dynamo/internal/gms_client_rules.h"

#include <fmt/format.h>

#include "admission/rules/reading.h"
#include "api/dynamo/constants.h"
#include "base/strings.h"

namespace hearth::admission::dynamo {
namespace {

using api::dynamo::kGmsLoader;
using api::dynamo::kGmsMountPath;
using api::dynamo::kGmsSaver;
using api::dynamo::kGmsSharedMountPath;
using api::dynamo::kGmsSocketDir;
using json::Value;
using schema::FieldPath;

constexpr Rule kOperatorMounts{
    "gms-client-mounts",
    "The operator mounts the socket directory of the GPU memory service and the checkpoint storage "
    "into loader and saver. A mount over them would hide the sockets or what is saved; choose "
    "another path."};
constexpr Rule kReservedNames{
    "gms-client-names",
    "With gpuMemoryService.checkpoint the operator adds containers gms-loader and gms-saver. Name "
    "your own otherwise, or leave the block out and name them in extraClientContainers and "
    "checkpoint.job.gmsClientContainers."};

// Without . and .., repeated and closing slashes: /a//b/../c/ is /a/c.
std::string CleanPath(std::string_view path) {
  std::vector<std::string_view> steps;
  for (const std::string_view step : Split(path, '/')) {
    if (step == "..") {
      if (!steps.empty()) {
        steps.pop_back();
      }
    } else if (!step.empty() && step != ".") {
      steps.push_back(step);
    }
  }
  std::string clean;
  for (const std::string_view step : steps) {
    clean.append("/").append(step);
  }
  return clean.empty() ? "/" : clean;
}

bool Covers(std::string_view mount_path, const std::string& operator_path) {
  const std::string clean = CleanPath(mount_path);
  return clean == operator_path || clean.starts_with(operator_path + "/");
}

// The saver is in a Job, which always has a server of its own; the loader is beside the server of
// the component.
std::string_view SocketDirectory(const Value& memory, std::string_view client) {
  const bool other_pod = client == "loader" && Text(memory.Find("mode")) == "InterPod";
  return other_pod ? kGmsSharedMountPath : kGmsMountPath;
}

void CheckMounts(const Value& client, const std::string (&operator_paths)[2], const FieldPath& path,
                 Findings& findings) {
  const auto& mounts = Items(client.Find("volumeMounts"));
  const FieldPath list = path.Child("volumeMounts");
  for (size_t i = 0; i < mounts.size(); ++i) {
    const Value* mount_path = mounts[i].Find("mountPath");
    for (const std::string& operator_path : operator_paths) {
      if (Covers(Text(mount_path), operator_path)) {
        findings.Add(kOperatorMounts,
                     Invalid(list.Item(i).Child("mountPath"), *mount_path,
                             fmt::format("collides with the operator's mount at {}; choose another "
                                         "path",
                                         operator_path)));
      }
    }
  }
}

void CheckClient(const Value& memory, std::string_view name, const Setup& setup,
                 const FieldPath& path, Findings& findings) {
  const Value* client = ObjectOrNull(At(&memory, "checkpoint." + std::string(name)));
  if (client == nullptr) {
    return;
  }
  const FieldPath block = path.Child("checkpoint");
  const FieldPath place = block.Child(name);
  CheckMounts(*client,
              {std::string(SocketDirectory(memory, name)), CleanPath(setup.checkpoint_path)}, place,
              findings);
  if (FindNamed(client->Find("envs"), kGmsSocketDir) != nullptr) {
    findings.Warn(place.Child("envs"),
                  fmt::format("{} is the operator's; the value given is ignored", kGmsSocketDir));
  }
}

}  // namespace

void CheckGmsClients(const Value& memory, const Setup& setup, const FieldPath& path,
                     Findings& findings) {
  CheckClient(memory, "loader", setup, path, findings);
  CheckClient(memory, "saver", setup, path, findings);
}

void CheckNotReserved(const Value* list, const FieldPath& path, Findings& findings) {
  const auto& containers = Items(list);
  for (size_t i = 0; i < containers.size(); ++i) {
    const Value* name = containers[i].Find("name");
    if (Text(name) == kGmsLoader || Text(name) == kGmsSaver) {
      findings.Add(kReservedNames,
                   Invalid(path.Item(i).Child("name"), *name,
                           "is added by the operator when gpuMemoryService.checkpoint is set; "
                           "rename the container, or remove gpuMemoryService.checkpoint"));
    }
  }
}

void CheckReservedNames(const ComponentFacts& component, const FieldPath& path,
                        Findings& findings) {
  if (ObjectOrNull(At(component.memory, "checkpoint")) == nullptr) {
    return;
  }
  const FieldPath own_template = path.Child("podTemplate");
  const FieldPath experimental = path.Child("experimental");
  const FieldPath checkpoint = experimental.Child("checkpoint");
  const FieldPath job = checkpoint.Child("job");
  const FieldPath job_template = job.Child("podTemplate");
  const std::pair<const Value*, const FieldPath*> pods[] = {
      {component.pod, &own_template},
      {At(component.checkpoint, "job.podTemplate.spec"), &job_template}};
  for (const auto& [pod, place] : pods) {
    for (const char* list : {"containers", "initContainers"}) {
      const FieldPath spec = place->Child("spec");
      CheckNotReserved(At(pod, list), spec.Child(list), findings);
    }
  }
}

RuleList GmsClientRuleList() { return {&kOperatorMounts, &kReservedNames}; }

}  // namespace hearth::admission::dynamo
