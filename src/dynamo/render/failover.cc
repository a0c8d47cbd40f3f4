#include "dynamo/render/failover.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "api/dynamo/constants.h"
#include "dynamo/command/start_command.h"
#include "dynamo/render/internal/ports.h"
#include "dynamo/render/internal/probes.h"
#include "pods/environment.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;
using pods::Variable;

constexpr std::string_view kVllm = "vllm";
constexpr int kMasterPortStep = 100;

// A port that two engines must not share.
Status MoveMasterPort(Value& engine, int number) {
  auto command = StartCommand::Find(engine, kVllm);
  if (!command.ok()) {
    // The engine was named by the graph; how it is started only the image knows.
    return {};
  }
  const auto said = command->FlagValue({"--master-port"});
  int port = internal::kMasterPort;
  if (said) {
    try {
      port = std::stoi(*said);
    } catch (const std::exception&) {
      return InvalidError(fmt::format("--master-port \"{}\" is no number", *said));
    }
  }
  const std::string moved = std::to_string(port + kMasterPortStep * number);
  if (said) {
    command->ReplaceFlag("--master-port", moved);
  } else {
    command->AddFlags("--master-port " + moved, false);
  }
  return {};
}

Result<Value> Engine(const Value& main, int number, int32_t nodes) {
  Value engine = main;
  const std::string id = std::to_string(number);
  const std::string system = fmt::format("system-{}", number);
  const std::string nixl = fmt::format("nixl-{}", number);
  const auto port = [&](int base) { return std::to_string(base + number); };
  engine.Set("name", dyn::kEngines[number]);
  Value ports = Value::Array({internal::Port(system, internal::kSystemPort + number)});
  if (pods::FindNamed(main, "ports", "nixl") != nullptr) {
    ports.Append(internal::Port(nixl, internal::kNixlPort + number));
  }
  engine.Set("ports", std::move(ports));
  internal::RetargetProbes(engine, system);
  pods::RemoveVariables(
      engine, {"DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", "DYN_SYSTEM_PORT", "DYN_SYSTEM_ENABLED",
               "DYN_HEALTH_CHECK_ENABLED", "CONTAINER_NAME", "DYN_FORWARDPASS_METRIC_PORT"});
  if (pods::FindVariable(engine, "NIXL_TELEMETRY_PROMETHEUS_PORT") != nullptr) {
    pods::SetVariable(engine,
                      Variable("NIXL_TELEMETRY_PROMETHEUS_PORT", port(internal::kNixlPort)));
  }
  pods::MergeVariables(
      engine, {Variable("ENGINE_ID", id), Variable("CONTAINER_NAME", dyn::kEngines[number]),
               Variable("FAILOVER_LOCK_PATH", fmt::format("{}/failover.lock", dyn::kGmsMountPath)),
               Variable("DYN_SYSTEM_STARTING_HEALTH_STATUS", "notready"),
               Variable("DYN_SYSTEM_PORT", port(internal::kSystemPort)),
               Variable("DYN_SYSTEM_ENABLED", "true"),
               Variable("DYN_FORWARDPASS_METRIC_PORT", port(internal::kForwardPassPort)),
               Variable("DYN_VLLM_GMS_SHADOW_MODE", "true"),
               Variable("VLLM_NIXL_SIDE_CHANNEL_PORT", port(internal::kNixlSideChannelPort)),
               Variable("DYN_VLLM_KV_EVENT_PORT", port(internal::kKvEventPort))});
  if (number > 0) {
    RETURN_IF_ERROR(MoveMasterPort(engine, number));
  }
  if (nodes > 1) {
    pods::SetVariable(engine, Variable("NNODES", std::to_string(nodes)));
  }
  return engine;
}

}  // namespace

Status CloneEngines(Value& pod_spec, std::string_view engine, int32_t nodes) {
  if (engine != kVllm) {
    return InvalidError(fmt::format("failover is currently supported only for vLLM (detected: {})",
                                    engine.empty() ? "<unset>" : engine));
  }
  const Value* const main = pods::FindNamed(pod_spec, "containers", dyn::kMainContainer);
  if (main == nullptr) {
    return InvalidError("failover needs a container named \"main\"");
  }
  Value::Items containers;
  for (int number = 0; number < 2; ++number) {
    ASSIGN_OR_RETURN(Value clone, Engine(*main, number, nodes));
    containers.push_back(std::move(clone));
  }
  for (const Value& other : pods::Items(pod_spec, "containers")) {
    if (&other != main) {
      containers.push_back(other);
    }
  }
  pod_spec.Set("containers", Value::FromItems(std::move(containers)));
  return {};
}

}  // namespace hearth::dynamo
