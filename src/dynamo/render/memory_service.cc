#include "dynamo/render/memory_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/dynamo/constants.h"
#include "dynamo/render/gpu_claim.h"
#include "dynamo/render/internal/probes.h"
#include "pods/environment.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;

constexpr std::string_view kCheckpointDirectory = "GMS_CHECKPOINT_DIR";
constexpr int kSocketsPerGpu = 2;  // weights and key-value cache

Value Mount(std::string_view volume, std::string_view path) {
  return Value::Object({{"name", volume}, {"mountPath", path}});
}

Value PythonModule(std::string_view module) { return Value::Array({"python3", "-m", module}); }

Value Server(const Value& target, int64_t gpus) {
  Value server = Value::Object({{"name", dyn::kGmsServer}});
  if (const Value* const image = target.Find("image"); image != nullptr) {
    server.Set("image", *image);
  }
  if (const Value* const policy = target.Find("imagePullPolicy"); policy != nullptr) {
    server.Set("imagePullPolicy", *policy);
  }
  server.Set("command", PythonModule("gpu_memory_service.cli.server"));
  // A sidecar: a Job ends although it still runs, and the engines start after its probe.
  server.Set("restartPolicy", "Always");
  server.Set("startupProbe", SocketProbe(dyn::kGmsMountPath, gpus, 1, 300));
  return server;
}

void ReplaceMount(Value& container, Value mount) {
  Value::Items& mounts = pods::MakeItems(container, "volumeMounts");
  const std::string name(pods::Text(mount, "name"));
  const std::string path(pods::Text(mount, "mountPath"));
  std::erase_if(mounts, [&](const Value& there) {
    return pods::Text(there, "name") == name || pods::Text(there, "mountPath") == path;
  });
  mounts.push_back(std::move(mount));
}

Value Mover(std::string_view name, std::string_view module, const Value& target,
            const MemoryMover& mover, const dyn::GmsClient* said) {
  Value container = Value::Object({{"name", name}});
  if (said != nullptr && !said->image.empty()) {
    container.Set("image", said->image);
  } else if (const Value* const image = target.Find("image"); image != nullptr) {
    container.Set("image", *image);
  }
  container.Set("command", PythonModule(module));
  pods::SetVariable(container, pods::Variable(dyn::kGmsSocketDir, dyn::kGmsMountPath));
  pods::SetVariable(container, pods::Variable(kCheckpointDirectory, mover.checkpoint_directory));
  if (TellsOfItsEnd(said)) {
    pods::SetVariable(container, pods::FieldVariable("GMS_POD_UID", "metadata.uid"));
  }
  container.Set("volumeMounts", Value::Array({Mount(dyn::kGmsVolume, dyn::kGmsMountPath)}));
  AddClaimTo(container);
  if (said == nullptr) {
    return container;
  }
  if (!said->command.empty()) {
    Value command = Value::Array();
    for (const std::string& word : said->command) {
      command.Append(word);
    }
    container.Set("command", std::move(command));
  }
  for (const Value& variable : said->envs) {
    if (pods::Text(variable, "name") != dyn::kGmsSocketDir) {
      pods::SetVariable(container, variable);
    }
  }
  if (!said->env_from_secret.empty()) {
    container["envFrom"].Append(
        Value::Object({{"secretRef", Value::Object({{"name", said->env_from_secret}})}}));
  }
  Value::Items& mounts = pods::MakeItems(container, "volumeMounts");
  mounts.insert(mounts.end(), said->volume_mounts.begin(), said->volume_mounts.end());
  return container;
}

}  // namespace

Value SocketProbe(std::string_view folder, int64_t gpus, int period, int failures) {
  const std::string check = fmt::format("test $(ls {}/gms_*.sock 2>/dev/null | wc -l) -ge {}",
                                        folder, kSocketsPerGpu * std::max<int64_t>(1, gpus));
  return internal::ExecProbe({"sh", "-c", check},
                             {.period = period, .timeout = 2, .failures = failures});
}

void MakeClient(Value& pod_spec, Value& container) {
  pods::SetNamed(pod_spec, "volumes",
                 Value::Object({{"name", dyn::kGmsVolume}, {"emptyDir", Value::Object()}}));
  ReplaceMount(container, Mount(dyn::kGmsVolume, dyn::kGmsMountPath));
  pods::SetVariable(container, pods::Variable(dyn::kGmsSocketDir, dyn::kGmsMountPath));
  AddClaimTo(container);
}

Status AddMemoryService(Value& pod_spec, const MemoryService& service) {
  RETURN_IF_ERROR(UseGpuClaim(pod_spec, service.target, service.claim_template));
  MakeClient(pod_spec, *pods::FindNamed(pod_spec, "containers", service.target));
  if (pods::FindNamed(pod_spec, "initContainers", dyn::kGmsServer) == nullptr) {
    Value server = Server(*pods::FindNamed(pod_spec, "containers", service.target), service.gpus);
    MakeClient(pod_spec, server);
    // First, so that init containers of the user find it running.
    Value::Items& init = pods::MakeItems(pod_spec, "initContainers");
    init.insert(init.begin(), std::move(server));
  }
  for (const std::string& name : service.extra_clients) {
    Value* const client = pods::FindNamed(pod_spec, "containers", name);
    if (client == nullptr) {
      return InvalidError(
          fmt::format("extraClientContainers: \"{}\" does not name a container in "
                      "podTemplate.spec.containers",
                      name));
    }
    MakeClient(pod_spec, *client);
  }
  return {};
}

bool TellsOfItsEnd(const dyn::GmsClient* said) { return said == nullptr || said->command.empty(); }

Value LoaderContainer(const Value& target, const MemoryMover& mover, const dyn::GmsClient* said) {
  return Mover(dyn::kGmsLoader, "gpu_memory_service.cli.snapshot.loader", target, mover, said);
}

Value SaverContainer(const Value& target, const MemoryMover& mover, const dyn::GmsClient* said) {
  return Mover(dyn::kGmsSaver, "gpu_memory_service.cli.snapshot.saver", target, mover, said);
}

}  // namespace hearth::dynamo
