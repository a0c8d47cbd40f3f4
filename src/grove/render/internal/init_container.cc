#include "grove/render/internal/init_container.h"

#include <fmt/format.h>

#include <utility>

#include "grove/model/labels.h"

namespace hearth::grove::internal {
namespace {

using json::Value;

constexpr std::string_view kTokenVolume = "sa-token-secret-vol";
constexpr std::string_view kPodInfoVolume = "pod-info-vol";

Value FileFrom(std::string_view path, std::string_view field) {
  return Value::Object({{"path", path}, {"fieldRef", Value::Object({{"fieldPath", field}})}});
}

Value Mount(std::string_view volume, std::string_view path) {
  return Value::Object({{"name", volume}, {"readOnly", true}, {"mountPath", path}});
}

}  // namespace

void AddInitContainer(std::string_view image, std::string_view token_secret,
                      const std::vector<WaitFor>& parents, Value& pod_spec) {
  pod_spec["volumes"].Append(Value::Object(
      {{"name", kTokenVolume},
       {"secret", Value::Object({{"secretName", token_secret}, {"defaultMode", 0644}})}}));
  pod_spec["volumes"].Append(Value::Object(
      {{"name", kPodInfoVolume},
       {"downwardAPI",
        Value::Object(
            {{"items", Value::Array({FileFrom("namespace", "metadata.namespace"),
                                     FileFrom("podgangname", fmt::format("metadata.labels['{}']",
                                                                         kGangLabel))})}})}}));
  Value arguments = Value::Array();
  for (const WaitFor& parent : parents) {
    arguments.Append(fmt::format("--podcliques={}:{}", parent.clique, parent.pods));
  }
  pod_spec["initContainers"].Append(Value::Object(
      {{"name", "grove-initc"},
       {"image", image},
       {"args", std::move(arguments)},
       {"volumeMounts",
        Value::Array({Mount(kPodInfoVolume, "/var/grove/pod-info"),
                      Mount(kTokenVolume, "/var/run/secrets/kubernetes.io/serviceaccount")})}}));
}

}  // namespace hearth::grove::internal
