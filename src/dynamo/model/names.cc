#include "dynamo/model/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace hearth::dynamo {
namespace {

// What a pod of Grove has room for: names of set, scaling group and clique together.
constexpr size_t kRoom = 45;
constexpr size_t kLeastForSet = 8;

std::string WithHyphens(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '.', '-');
  return text;
}

uint32_t Fnv1a(std::string_view text) {
  uint32_t hash = 2166136261U;
  for (const unsigned char c : text) {
    hash = (hash ^ c) * 16777619U;
  }
  return hash;
}

}  // namespace

std::string Lower(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return lower;
}

std::string ShortHash(std::string_view text) { return fmt::format("{:08x}", Fnv1a(text)); }

std::string ComponentDeploymentName(std::string_view graph, std::string_view component,
                                    std::string_view worker_hash) {
  std::string name = fmt::format("{}-{}", graph, Lower(component));
  return worker_hash.empty() ? name : fmt::format("{}-{}", name, worker_hash);
}

std::string ServiceName(std::string_view graph, std::string_view component) {
  return WithHyphens(fmt::format("{}-{}", graph, Lower(component)));
}

std::string ServiceNameOfDeployment(std::string_view deployment) { return WithHyphens(deployment); }

std::string DynamoNamespace(std::string_view name_space, std::string_view graph, bool global) {
  return global ? "dynamo" : fmt::format("{}-{}", name_space, WithHyphens(graph));
}

std::string DiscoveryAccountName(std::string_view graph) {
  return fmt::format("{}-k8s-service-discovery", graph);
}

std::string SetName(std::string_view graph, size_t longest_component) {
  const size_t left = kRoom - std::min(kRoom, longest_component);
  const size_t budget = std::max(left, kLeastForSet);
  if (graph.size() <= budget) {
    return std::string(graph);
  }
  constexpr size_t kHash = 5;  // with its hyphen
  return fmt::format("{}-{:04x}", graph.substr(0, budget - kHash), Fnv1a(graph) & 0xFFFF);
}

std::string ClaimTemplateName(std::string_view graph, std::string_view component,
                              std::string_view content_hash) {
  return fmt::format("{}-{}-gpu-{}", graph, Lower(component), content_hash);
}

std::string CheckpointClaimTemplateName(std::string_view checkpoint_id) {
  return fmt::format("checkpoint-{}-worker-gpu", checkpoint_id);
}

std::string RankClaimName(std::string_view component, int32_t rank) {
  return fmt::format("{}-gpu-rank-{}", Lower(component), rank);
}

std::string LeaderClique(std::string_view component) {
  return fmt::format("{}-ldr", Lower(component));
}

std::string WorkerClique(std::string_view component) {
  return fmt::format("{}-wkr", Lower(component));
}

std::string RankedWorkerClique(std::string_view component, int32_t rank) {
  return fmt::format("{}-wkr-{}", Lower(component), rank);
}

std::string MemoryClique(std::string_view component, int32_t rank) {
  return fmt::format("{}-gms-{}", Lower(component), rank);
}

}  // namespace hearth::dynamo
