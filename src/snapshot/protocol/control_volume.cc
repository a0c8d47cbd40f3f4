#include <fmt/format.h>

#include "snapshot/protocol/internal/pod_fields.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/shaping.h"

namespace hearth::snapshot {

using internal::AddUnlessThere;
using json::Value;

void EnsureControlVolume(Value& pod_spec, Value& container) {
  const Value* const name = container.Find("name");
  AddUnlessThere(pod_spec, "volumes", "name",
                 Value::Object({{"name", kControlVolume}, {"emptyDir", Value::Object()}}));
  AddUnlessThere(container, "volumeMounts", "name",
                 Value::Object({{"name", kControlVolume},
                                {"mountPath", kControlDirectory},
                                {"subPath", name == nullptr ? "" : name->StringOr("")}}));
  for (const std::string_view env : {kControlDirectoryEnv, kOldControlDirectoryEnv}) {
    AddUnlessThere(container, "env", "name",
                   Value::Object({{"name", env}, {"value", kControlDirectory}}));
  }
}

void EnsureSeccompProfile(Value& pod_spec, std::string_view profile) {
  if (!profile.empty()) {
    pod_spec["securityContext"].Set(
        "seccompProfile", Value::Object({{"type", "Localhost"}, {"localhostProfile", profile}}));
  }
}

}  // namespace hearth::snapshot
