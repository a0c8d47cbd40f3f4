#include "admission/door/internal/versions.h"

#include "api/conversion/convert.h"
#include "schema/defaults.h"

namespace hearth::admission::internal {

const schema::ResourceVersion* FindVersion(const schema::ResourceDefinition& definition,
                                           std::string_view version) {
  for (const schema::ResourceVersion& candidate : definition.versions) {
    if (candidate.name == version) {
      return &candidate;
    }
  }
  return nullptr;
}

std::string_view VersionOf(const json::Value& object) {
  const json::Value* value = object.Find("apiVersion");
  if (value == nullptr || !value->IsString()) {
    return {};
  }
  const std::string_view text = value->string();
  return text.substr(text.find('/') + 1);
}

Result<json::Value> InVersion(const json::Value& object,
                              const schema::ResourceDefinition& definition,
                              std::string_view version) {
  if (VersionOf(object) == version) {
    return object;
  }
  ASSIGN_OR_RETURN(json::Value converted, api::conversion::Convert(object, version));
  if (const schema::ResourceVersion* known = FindVersion(definition, version)) {
    schema::ApplyDefaults(converted, *known->schema);
  }
  return converted;
}

}  // namespace hearth::admission::internal
