#include "agent/node/start_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/start_proof.h"

namespace hearth::agent::node {
namespace {

constexpr std::string_view kAllKeys[] = {
    snapshot::kStartAnnotation, snapshot::kStartReasonAnnotation, snapshot::kRestoredFromAnnotation,
    snapshot::kRestoredDigestAnnotation, snapshot::kRestorePhasesAnnotation};

Duration Total(const RestoreProof& proof) {
  Duration total{};
  for (const auto& phase : proof.phases) {
    total += phase.second;
  }
  return total;
}

// Each once, in order: one artifact for all targets is the rule.
template <typename Text>
std::string Distinct(const std::vector<RestoreProof>& proofs, Text text) {
  std::set<std::string> seen;
  std::vector<std::string> all;
  for (const RestoreProof& proof : proofs) {
    if (!text(proof).empty() && seen.insert(text(proof)).second) {
      all.push_back(text(proof));
    }
  }
  return Join(all, ",");
}

}  // namespace

std::string WritePhases(const Phases& phases) {
  std::vector<std::string> parts;
  for (const auto& [name, took] : phases) {
    parts.push_back(fmt::format("{}={:.3f}", name, std::chrono::duration<double>(took).count()));
  }
  return Join(parts, ",");
}

std::map<std::string, std::optional<std::string>> StartAnnotations(
    std::string_view sum, const std::vector<RestoreProof>& proofs) {
  std::map<std::string, std::optional<std::string>> wanted;
  if (sum == snapshot::kCompleted && proofs.empty()) {
    return wanted;
  }
  for (const std::string_view key : kAllKeys) {
    wanted[std::string(key)] = std::nullopt;
  }
  if (sum != snapshot::kCompleted) {
    return wanted;
  }
  const auto longest = std::max_element(
      proofs.begin(), proofs.end(),
      [](const RestoreProof& a, const RestoreProof& b) { return Total(a) < Total(b); });
  wanted[std::string(snapshot::kStartAnnotation)] = snapshot::kStartRestored;
  const auto say = [&](std::string_view key, std::string value) {
    if (!value.empty()) {
      wanted[std::string(key)] = std::move(value);
    }
  };
  say(snapshot::kRestoredFromAnnotation,
      Distinct(proofs, [](const RestoreProof& proof) { return proof.from; }));
  say(snapshot::kRestoredDigestAnnotation,
      Distinct(proofs, [](const RestoreProof& proof) { return proof.digest; }));
  say(snapshot::kRestorePhasesAnnotation, WritePhases(longest->phases));
  return wanted;
}

Duration Saved(const std::optional<Duration>& cold_start, Duration restore) {
  return std::max(Duration::zero(), cold_start.value_or(Duration::zero()) - restore);
}

}  // namespace hearth::agent::node
