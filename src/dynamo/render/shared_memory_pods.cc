#include "dynamo/render/shared_memory_pods.h"

#include <fmt/format.h>

#include <utility>

#include "api/dynamo/constants.h"
#include "dynamo/model/labels.h"
#include "dynamo/render/gpu_claim.h"
#include "dynamo/render/memory_service.h"
#include "pods/environment.h"
#include "pods/gpus.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;
using pods::Variable;

constexpr std::string_view kVolume = "gms-shared";
constexpr std::string_view kHostFolder = "/run/gms";
constexpr std::string_view kPermissions = "fix-gms-perms";

// Fields of an engine's pod that say where pods may run and what they may pull, and so hold for the
// server as well.
constexpr std::string_view kSharedFields[] = {"imagePullSecrets",  "serviceAccountName",
                                              "nodeSelector",      "affinity",
                                              "tolerations",       "schedulerName",
                                              "priorityClassName", "securityContext",
                                              "runtimeClassName",  "topologySpreadConstraints"};
// Variables that tell a server which devices there are.
constexpr std::string_view kSharedVariables[] = {"GMS_GPU_UUIDS", "CUDA_VISIBLE_DEVICES",
                                                 "NVIDIA_VISIBLE_DEVICES",
                                                 "NVIDIA_DRIVER_CAPABILITIES"};

// Stale sockets of a server that was killed go first; whoever stops the pod stops the server.
constexpr std::string_view kServerScript =
    "rm -f \"$GMS_SOCKET_DIR\"/gms_*.sock\n"
    "python3 -m gpu_memory_service.cli.server &\n"
    "server=$!\n"
    "trap 'kill -TERM \"$server\" 2>/dev/null' TERM INT\n"
    "while kill -0 \"$server\" 2>/dev/null; do wait \"$server\"; code=$?; done\n"
    "exit \"${code:-1}\"\n";

Value Mount(const Rank& rank) {
  return Value::Object(
      {{"name", kVolume},
       {"mountPath", dyn::kGmsSharedMountPath},
       {"subPathExpr", fmt::format("{}_{}/$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)/rank-{}",
                                   rank.name_space, rank.graph_uid, rank.number)}});
}

// The node's folder belongs to root; everybody may use it, nobody remove what others made.
Value PermissionContainer(const Value& main, const Rank& rank) {
  Value container = Value::Object({{"name", kPermissions}});
  if (const Value* const image = main.Find("image"); image != nullptr) {
    container.Set("image", *image);
  }
  container.Set("command", Value::Array({"chmod", "1777", dyn::kGmsSharedMountPath}));
  container.Set("securityContext", Value::Object({{"runAsUser", 0}, {"runAsNonRoot", false}}));
  container.Set("volumeMounts", Value::Array({Mount(rank)}));
  return container;
}

void AddFolder(Value& pod_spec, Value& container, const Rank& rank) {
  pods::SetNamed(
      pod_spec, "volumes",
      Value::Object(
          {{"name", kVolume},
           {"hostPath", Value::Object({{"path", kHostFolder}, {"type", "DirectoryOrCreate"}})}}));
  pods::SetNamed(container, "volumeMounts", Mount(rank));
  pods::SetVariable(container, Variable(dyn::kGmsSocketDir, dyn::kGmsSharedMountPath));
  pods::RemoveGpus(container);
  TolerateGpuNodes(pod_spec);
  if (pods::FindNamed(pod_spec, "initContainers", kPermissions) == nullptr) {
    Value::Items& init = pods::MakeItems(pod_spec, "initContainers");
    init.insert(init.begin(), PermissionContainer(container, rank));
  }
}

Result<const Value*> MainOf(const Value& pod) {
  const Value* const spec = pod.Find("spec");
  const Value* const main =
      spec == nullptr ? nullptr : pods::FindNamed(*spec, "containers", dyn::kMainContainer);
  if (main == nullptr) {
    return InvalidError("the engine's pod has no container named \"main\"");
  }
  return main;
}

}  // namespace

Result<Value> MemoryServerPod(const Value& engine_pod, const Rank& rank) {
  ASSIGN_OR_RETURN(const Value* const main, MainOf(engine_pod));
  Value server = Value::Object({{"name", dyn::kMainContainer}});
  for (const char* const field : {"image", "imagePullPolicy", "securityContext"}) {
    if (const Value* const value = main->Find(field); value != nullptr) {
      server.Set(field, *value);
    }
  }
  server.Set("command", Value::Array({"bash", "-c", kServerScript}));
  for (const std::string_view name : kSharedVariables) {
    if (const Value* const variable = pods::FindVariable(*main, name); variable != nullptr) {
      pods::SetVariable(server, *variable);
    }
  }
  server.Set("startupProbe", SocketProbe(dyn::kGmsSharedMountPath, rank.gpus, 2, 150));
  Value spec = Value::Object();
  for (const std::string_view field : kSharedFields) {
    if (const Value* const value = engine_pod.Find("spec")->Find(field); value != nullptr) {
      spec.Set(field, *value);
    }
  }
  AddFolder(spec, server, rank);
  spec.Set("containers", Value::Array({std::move(server)}));

  Value pod = Value::Object();
  if (const Value* const metadata = engine_pod.Find("metadata"); metadata != nullptr) {
    pod.Set("metadata", *metadata);
  }
  // Nobody is to send requests to it, and it is never restored itself.
  for (const std::string_view label :
       {kDiscoveryBackendLabel, kDiscoveryEnabledLabel, kMetricsLabel}) {
    pods::EraseLabel(pod, label);
  }
  pod.Set("spec", std::move(spec));
  return pod;
}

Status UseMemoryServer(Value& pod, const Rank& rank) {
  RETURN_IF_ERROR(MainOf(pod));
  Value& spec = pod["spec"];
  Value& main = *pods::FindNamed(spec, "containers", dyn::kMainContainer);
  pods::SetVariable(
      main, pods::FieldVariable("ENGINE_ID", "metadata.labels['grove.io/podclique-pod-index']"));
  // `main` is found anew: the pod's lists grow meanwhile.
  Value engine = main;
  AddFolder(spec, engine, rank);
  if (rank.failover) {
    pods::SetVariable(engine, Variable("FAILOVER_LOCK_PATH",
                                       fmt::format("{}/failover.lock", dyn::kGmsSharedMountPath)));
    pods::SetVariable(engine, Variable("DYN_SYSTEM_STARTING_HEALTH_STATUS", "notready"));
    pods::RemoveVariables(engine, {"DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS"});
    spec.Set("restartPolicy", "Never");
  }
  *pods::FindNamed(spec, "containers", dyn::kMainContainer) = std::move(engine);
  return {};
}

}  // namespace hearth::dynamo
