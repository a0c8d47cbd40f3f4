#include "dynamo/render/internal/engine_flags.h"

#include <fmt/format.h>

#include <string>

#include "api/dynamo/constants.h"
#include "dynamo/command/start_command.h"
#include "dynamo/render/internal/ports.h"
#include "dynamo/render/internal/probes.h"
#include "pods/environment.h"
#include "pods/gpus.h"
#include "pods/lists.h"

namespace hearth::dynamo::internal {
namespace {

namespace dyn = api::dynamo;
using json::Value;
using pods::Variable;

constexpr std::string_view kVllm = "vllm";
constexpr std::string_view kSglang = "sglang";
constexpr std::string_view kTrtllm = "trtllm";

int64_t NumberOf(const StartCommand& command, std::initializer_list<std::string_view> flags) {
  const auto text = command.FlagValue(flags);
  if (!text || text->empty() || text->find_first_not_of("0123456789") != std::string::npos ||
      text->size() > 9) {
    return 1;
  }
  return std::max<int64_t>(1, std::stoll(*text));
}

void RemoveProbes(Value& container) {
  for (const std::string_view probe : kProbes) {
    container.Erase(probe);
  }
}

bool IsLeader(const PodRequest& request) { return request.role == Role::kLeader; }

// "0" for the leader, else what its name gives it.
std::string NodeRank(const PodRequest& request) {
  return IsLeader(request) ? "0" : request.grove.node_rank;
}

// Ray is what vLLM used before it could do without; a graph of that time, or one that says so,
// keeps it.
bool UsesRay(const PodRequest& request) {
  const Value& pod = request.component.pod_template;
  const std::string_view said = pods::Annotation(pod, dyn::kExecutorBackend);
  if (!said.empty()) {
    return said == "ray" || said == "Ray" || said == "RAY";
  }
  const std::string_view origin = pods::Annotation(pod, dyn::kOriginVersion);
  const std::string_view number = origin.starts_with('v') ? origin.substr(1) : origin;
  return number.empty() || number.starts_with("0.") || number == "0";
}

void UseRay(const PodRequest& request, StartCommand& command, Value& main) {
  if (IsLeader(request)) {
    command.AddFlags("--distributed-executor-backend ray", false);
    std::string script = fmt::format("ray start --head --port={} && ", kRayPort);
    command.Prepend(script);
    return;
  }
  main.Set("command", Value::Array({"/bin/sh", "-c"}));
  main.Set("args", Value::Array({fmt::format("ray start --address={}:{} --block",
                                             request.grove.leader_host, kRayPort)}));
}

void UseProcesses(const PodRequest& request, StartCommand& command, Value& main) {
  std::string flags = fmt::format(
      "--distributed-executor-backend mp --nnodes {} --master-addr {} --master-port {} "
      "--node-rank {}",
      request.nodes, request.grove.leader_host, kMasterPort, NodeRank(request));
  if (!IsLeader(request)) {
    flags += " --headless";
  }
  command.AddFlags(flags, !IsLeader(request) && request.grove.rank_needs_shell);
  pods::SetVariable(main, pods::FieldVariable("VLLM_NIXL_SIDE_CHANNEL_HOST", "status.podIP"));
}

// Each node has its share of the replicas of the model and its own front door.
void SplitData(const PodRequest& request, StartCommand& command, int64_t ranks) {
  const int64_t local = std::max<int64_t>(1, ranks / request.nodes);
  const std::string rank = NodeRank(request);
  std::string start = IsLeader(request) ? "0" : fmt::format("$(({} * {}))", local, rank);
  if (!IsLeader(request) && rank.starts_with("$((") && rank.ends_with("))")) {
    start = fmt::format("$(({} * ({})))", local, rank.substr(3, rank.size() - 5));
  }
  command.AddFlags(fmt::format("--data-parallel-hybrid-lb --data-parallel-size-local {} "
                               "--data-parallel-start-rank {} --data-parallel-address {} "
                               "--data-parallel-rpc-port 13445",
                               local, start, request.grove.leader_host),
                   !IsLeader(request));
}

Status SpreadVllm(const PodRequest& request, StartCommand& command, Value& main) {
  ASSIGN_OR_RETURN(const int64_t gpus, pods::GpuCount(main));
  const int64_t model = NumberOf(command, {"--tensor-parallel-size", "-tp"}) *
                        NumberOf(command, {"--pipeline-parallel-size", "-pp"});
  const int64_t data = NumberOf(command, {"--data-parallel-size", "-dp"});
  if (model > std::max<int64_t>(1, gpus)) {
    if (UsesRay(request)) {
      UseRay(request, command, main);
    } else {
      UseProcesses(request, command, main);
    }
  } else if (data > 1) {
    SplitData(request, command, data);
  }
  if (!IsLeader(request)) {
    RemoveProbes(main);
  }
  return {};
}

Status ShapeVllm(const PodRequest& request, Value& main) {
  const bool memory = MemoryOf(request.component) != nullptr;
  if (memory || request.nodes > 1) {
    ASSIGN_OR_RETURN(StartCommand command, StartCommand::Find(main, kVllm));
    if (memory && !command.HasFlag("--load-format")) {
      command.AddFlags("--load-format gms", false);
    }
    if (request.nodes > 1) {
      RETURN_IF_ERROR(SpreadVllm(request, command, main));
    }
  }
  if (HasInterPodFailover(request.component)) {
    pods::SetVariable(main, Variable("DYN_VLLM_GMS_SHADOW_MODE", "true"));
  }
  if (const auto& cache = request.component.compilation_cache; cache) {
    const std::string path =
        cache->mount_path.empty() ? std::string(DefaultCachePath(kVllm)) : cache->mount_path;
    pods::AddVariables(main, {Variable("VLLM_CACHE_ROOT", path)});
  }
  return {};
}

Status ShapeSglang(const PodRequest& request, Value& main) {
  if (request.nodes <= 1) {
    return {};
  }
  ASSIGN_OR_RETURN(StartCommand command, StartCommand::Find(main, kSglang));
  command.AddFlags(
      fmt::format("--dist-init-addr {}:{} --nnodes {} --node-rank {}", request.grove.leader_host,
                  kMasterPort, request.nodes, NodeRank(request)),
      !IsLeader(request) && request.grove.rank_needs_shell);
  if (!IsLeader(request)) {
    RemoveProbes(main);
  }
  return {};
}

}  // namespace

std::string_view DefaultCachePath(std::string_view engine) {
  return engine == kVllm ? "/root/.cache/vllm" : "";
}

Status ShapeEngine(const PodRequest& request, std::string_view engine, Value& main) {
  if (engine == kVllm) {
    return ShapeVllm(request, main);
  }
  if (engine == kSglang) {
    return ShapeSglang(request, main);
  }
  if (engine == kTrtllm && request.nodes > 1) {
    return UnsupportedError(
        "TRT-LLM on several nodes needs MPI over ssh, which is not supported; use vLLM or SGLang, "
        "or one node");
  }
  return {};
}

}  // namespace hearth::dynamo::internal
