#include "api/conversion/internal/features_map.h"

namespace hearth::api::conversion::internal {
namespace {

struct ModeWords {
  json::Value v1alpha1;
  json::Value v1beta1;
};

const ModeWords (&Modes())[2] {
  static const ModeWords kModes[] = {{"intraPod", "IntraPod"}, {"interPod", "InterPod"}};
  return kModes;
}

// The mode in the words of the other version; words of its own stay as they are.
Tree Mode(const Tree& mode, json::Value ModeWords::*from, json::Value ModeWords::*to) {
  for (const ModeWords& words : Modes()) {
    if (mode.IsString() && mode.text() == (words.*from).string()) {
      return Tree(&(words.*to));
    }
  }
  return mode;
}

Tree FeatureToBeta(const Tree& feature, Arena& arena) {
  if (!feature.Find("enabled").IsTrue()) {
    return Tree();
  }
  ObjectBuilder mapped(arena, feature);
  mapped.Erase("enabled");
  mapped.SetIfAny("mode", Mode(feature.Find("mode"), &ModeWords::v1alpha1, &ModeWords::v1beta1));
  return mapped.Build();
}

Tree FeatureToAlpha(const Tree& feature, Arena& arena) {
  if (!feature.IsObject()) {
    return Tree();
  }
  ObjectBuilder mapped(arena, feature);
  mapped.Set("enabled", Flag(true));
  mapped.SetIfAny("mode", Mode(feature.Find("mode"), &ModeWords::v1beta1, &ModeWords::v1alpha1));
  return mapped.Build();
}

}  // namespace

Tree MarkOf(const Tree& flagged, Arena& arena) {
  return flagged.Find("enabled").IsTrue() ? ObjectBuilder(arena, 1).Build() : Tree();
}

Tree FlagOf(const Tree& mark, Arena& arena) {
  if (!mark.IsObject()) {
    return Tree();
  }
  ObjectBuilder flagged(arena, 1);
  flagged.Add("enabled", Flag(true));
  return flagged.Build();
}

Tree FeaturesToBeta(const Tree& service, Arena& arena) {
  ObjectBuilder experimental(arena, 3);
  for (const std::string_view name : {"gpuMemoryService", "failover"}) {
    experimental.SetIfAny(name, FeatureToBeta(service.Find(name), arena));
  }
  experimental.SetIfAny("checkpoint", service.Find("checkpoint"));
  return experimental.BuildIfAny();
}

void FeaturesToAlpha(const Tree& experimental, ObjectBuilder& service) {
  service.SetIfAny("checkpoint", experimental.Find("checkpoint"));
  for (const std::string_view name : {"gpuMemoryService", "failover"}) {
    service.SetIfAny(name, FeatureToAlpha(experimental.Find(name), service.arena()));
  }
}

}  // namespace hearth::api::conversion::internal
