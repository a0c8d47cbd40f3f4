#include "api/conversion/convert.h"

namespace hearth::api::conversion {

std::string V1alpha1Path(const json::Value& /*v1alpha1*/, const json::Value& /*v1beta1*/,
                         std::string_view path) {
  return std::string(path);
}

}  // namespace hearth::api::conversion
