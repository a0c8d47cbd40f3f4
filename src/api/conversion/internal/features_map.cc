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
  if (!arena.Find(feature, "enabled").IsTrue()) {
    return Tree();
  }
  ObjectBuilder mapped(arena, feature);
  mapped.Erase("enabled");
  mapped.SetIfAny("mode",
                  Mode(arena.Find(feature, "mode"), &ModeWords::v1alpha1, &ModeWords::v1beta1));
  return mapped.Build();
}

Tree FeatureToAlpha(const Tree& feature, Arena& arena) {
  if (!feature.IsObject()) {
    return Tree();
  }
  ObjectBuilder mapped(arena, feature);
  mapped.Set("enabled", Flag(true));
  mapped.SetIfAny("mode",
                  Mode(arena.Find(feature, "mode"), &ModeWords::v1beta1, &ModeWords::v1alpha1));
  return mapped.Build();
}

}  // namespace

Tree MarkOf(const Tree& flagged, Arena& arena) {
  return arena.Find(flagged, "enabled").IsTrue() ? ObjectBuilder(arena, 1).Build() : Tree();
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
    experimental.SetIfAny(name, FeatureToBeta(arena.Find(service, name), arena));
  }
  experimental.SetIfAny("checkpoint", arena.Find(service, "checkpoint"));
  return experimental.BuildIfAny();
}

void FeaturesToAlpha(const Tree& experimental, ObjectBuilder& service) {
  Arena& arena = service.arena();
  service.SetIfAny("checkpoint", arena.Find(experimental, "checkpoint"));
  for (const std::string_view name : {"gpuMemoryService", "failover"}) {
    service.SetIfAny(name, FeatureToAlpha(arena.Find(experimental, name), arena));
  }
}

}  // namespace hearth::api::conversion::internal
