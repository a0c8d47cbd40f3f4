#include "api/conversion/convert.h"

namespace hearth::api::conversion {

Result<json::Value> Convert(const json::Value& object, std::string_view version) {
  const json::Value* api_version = object.Find("apiVersion");
  if (api_version != nullptr && api_version->StringOr("") == "nvidia.com/" + std::string(version)) {
    return object;
  }
  return NotFoundError("no conversion to " + std::string(version));
}

std::string V1alpha1Path(const json::Value& /*v1alpha1*/, const json::Value& /*v1beta1*/,
                         std::string_view path) {
  return std::string(path);
}

}  // namespace hearth::api::conversion
