#include "admission/dynamo/internal/gms_client_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/rules/reading.h"
#include "api/dynamo/constants.h"
#include "base/strings.h"

namespace hearth::admission::dynamo {
namespace {

using api::dynamo::kGmsLoader;
using api::dynamo::kGmsMountPath;
using api::dynamo::kGmsSaver;
using api::dynamo::kGmsServer;
using api::dynamo::kGmsSharedMountPath;
using api::dynamo::kGmsSocketDir;
using api::dynamo::kGmsVolume;
using json::Value;
using schema::FieldPath;

constexpr Rule kOperatorMounts{
    "gms-client-mounts",
    "The operator mounts the socket directory of the GPU memory service into everybody who uses "
    "it, "
    "and the checkpoint storage into loader and saver. A mount over them would hide the sockets or "
    "what is saved; choose another path."};
constexpr Rule kReservedNames{
    "gms-client-names",
    "With gpuMemoryService.checkpoint the operator adds containers gms-loader and gms-saver. Name "
    "your own otherwise, or leave the block out and name them in extraClientContainers and "
    "checkpoint.job.gmsClientContainers."};

constexpr Rule kReservedInPod{
    "gms-pod-names",
    "With gpuMemoryService the operator adds a volume gms-intrapod-control and an init container "
    "gms-server to the pod. A volume of yours by that name would be replaced, and a container "
    "would "
    "stand there twice. Name yours otherwise; an init container gms-server of yours is taken for "
    "the server, and an emptyDir for the volume."};

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

void CheckMount(const Value& mount, const std::string& operator_path, const FieldPath& path,
                Findings& findings) {
  const Value* mount_path = mount.Find("mountPath");
  if (Covers(Text(mount_path), operator_path)) {
    findings.Add(kOperatorMounts,
                 Invalid(path.Child("mountPath"), *mount_path,
                         fmt::format("collides with the operator's mount at {}; choose another "
                                     "path",
                                     operator_path)));
  }
}

void CheckMounts(const Value& client, const std::string (&operator_paths)[2], const FieldPath& path,
                 Findings& findings) {
  const auto& mounts = Items(client.Find("volumeMounts"));
  const FieldPath list = path.Child("volumeMounts");
  for (size_t i = 0; i < mounts.size(); ++i) {
    for (const std::string& operator_path : operator_paths) {
      CheckMount(mounts[i], operator_path, list.Item(i), findings);
    }
  }
}

// Of a container of the user that reaches the memory. What the operator would write itself is fine.
void CheckEngineMounts(const Value& container, bool inter_pod, const FieldPath& path,
                       Findings& findings) {
  const std::string directory(inter_pod ? kGmsSharedMountPath : kGmsMountPath);
  const auto& mounts = Items(container.Find("volumeMounts"));
  const FieldPath list = path.Child("volumeMounts");
  for (size_t i = 0; i < mounts.size(); ++i) {
    const bool same = !inter_pod && Text(mounts[i].Find("name")) == kGmsVolume &&
                      CleanPath(Text(mounts[i].Find("mountPath"))) == directory;
    if (!same) {
      CheckMount(mounts[i], directory, list.Item(i), findings);
    }
  }
}

void CheckVolumes(const Value* list, const FieldPath& path, Findings& findings) {
  const auto& volumes = Items(list);
  for (size_t i = 0; i < volumes.size(); ++i) {
    const Value* name = volumes[i].Find("name");
    if (Text(name) == kGmsVolume && ObjectOrNull(volumes[i].Find("emptyDir")) == nullptr) {
      findings.Add(kReservedInPod,
                   Invalid(path.Item(i).Child("name"), *name,
                           "is the operator's volume when gpuMemoryService is set, an emptyDir; "
                           "rename yours"));
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

void CheckGmsPod(const ComponentFacts& component, const FieldPath& path, Findings& findings) {
  const bool inter_pod = component.InterPodMemory();
  const FieldPath pod_template = path.Child("podTemplate");
  const FieldPath spec = pod_template.Child("spec");
  const FieldPath list = spec.Child("containers");
  const auto& containers = Items(component.containers);
  const auto& clients = Items(component.memory->Find("extraClientContainers"));
  for (size_t i = 0; i < containers.size(); ++i) {
    const Value* name = containers[i].Find("name");
    const bool attaches = &containers[i] == component.main ||
                          std::any_of(clients.begin(), clients.end(), [&](const Value& client) {
                            return Text(&client) == Text(name);
                          });
    if (!inter_pod && Text(name) == kGmsServer) {
      findings.Add(kReservedInPod, Invalid(list.Item(i).Child("name"), *name,
                                           "is added by the operator when gpuMemoryService is set; "
                                           "rename the container"));
    }
    if (attaches) {
      CheckEngineMounts(containers[i], inter_pod, list.Item(i), findings);
    }
  }
  if (!inter_pod) {
    CheckVolumes(At(component.pod, "volumes"), spec.Child("volumes"), findings);
  }
}

RuleList GmsClientRuleList() { return {&kOperatorMounts, &kReservedNames, &kReservedInPod}; }

}  // namespace hearth::admission::dynamo
