#include "api/conversion/internal/features_map.h"

#include "api/conversion/internal/fields.h"

namespace hearth::api::conversion::internal {
namespace {

struct ModeWords {
  std::string_view v1alpha1;
  std::string_view v1beta1;
};
constexpr ModeWords kModes[] = {{"intraPod", "IntraPod"}, {"interPod", "InterPod"}};

// The mode in the words of v1beta1; other words stay as they are.
Tree ModeToBeta(const Tree& mode) {
  for (const ModeWords& words : kModes) {
    if (mode.text() == words.v1alpha1) {
      return Tree::Text(words.v1beta1);
    }
  }
  return mode;
}

Tree ModeToAlpha(const Tree& mode) {
  for (const ModeWords& words : kModes) {
    if (mode.text() == words.v1beta1) {
      return Tree::Text(words.v1alpha1);
    }
  }
  return mode;
}

Tree FeatureToBeta(const Tree& feature) {
  if (!feature.Find("enabled").IsTrue()) {
    return Tree();
  }
  Tree mapped = feature;
  mapped.Erase("enabled");
  SetIfAny(mapped, "mode", ModeToBeta(feature.Find("mode")));
  return mapped;
}

Tree FeatureToAlpha(const Tree& feature) {
  if (!feature.IsObject()) {
    return Tree();
  }
  Tree mapped = feature;
  mapped.Set("enabled", Tree::Own(true));
  SetIfAny(mapped, "mode", ModeToAlpha(feature.Find("mode")));
  return mapped;
}

}  // namespace

Tree MarkOf(const Tree& flagged) {
  return flagged.Find("enabled").IsTrue() ? Tree::Object() : Tree();
}

Tree FlagOf(const Tree& mark) {
  if (!mark.IsObject()) {
    return Tree();
  }
  Tree flagged = Tree::Object();
  flagged.Set("enabled", Tree::Own(true));
  return flagged;
}

Tree FeaturesToBeta(const Tree& service) {
  Tree experimental = Tree::Object();
  SetIfAny(experimental, "gpuMemoryService", FeatureToBeta(service.Find("gpuMemoryService")));
  SetIfAny(experimental, "failover", FeatureToBeta(service.Find("failover")));
  SetIfAny(experimental, "checkpoint", service.Find("checkpoint"));
  return experimental.size() > 0 ? experimental : Tree();
}

void FeaturesToAlpha(const Tree& experimental, Tree& service) {
  SetIfAny(service, "checkpoint", experimental.Find("checkpoint"));
  for (const std::string_view name : {"gpuMemoryService", "failover"}) {
    SetIfAny(service, name, FeatureToAlpha(experimental.Find(name)));
  }
}

}  // namespace hearth::api::conversion::internal
