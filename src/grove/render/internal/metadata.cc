#include "grove/render/internal/metadata.h"

#include "controller/pass.h"
#include "grove/model/labels.h"

namespace hearth::grove::internal {

Labels ManagedLabels(std::string_view set, std::string_view component, std::string_view name) {
  return {{std::string(kNameLabel), std::string(name)},
          {std::string(kManagedByLabel), std::string(kManagedBy)},
          {std::string(kPartOfLabel), std::string(set)},
          {std::string(kComponentLabel), std::string(component)}};
}

Labels PodAnnotations(const api::grove::CliqueTemplate& clique) {
  Labels annotations = clique.annotations;
  annotations.erase(std::string(kTopologyNameAnnotation));  // a gang's matter
  return annotations;
}

bool IsOfOneObject(std::string_view annotation) {
  return annotation == controller::kAppliedAnnotation ||
         annotation == "kubectl.kubernetes.io/last-applied-configuration";
}

json::Value NewObject(std::string_view api_version, std::string_view kind,
                      std::string_view name_space, std::string_view name, const Labels& labels,
                      const Labels& annotations, const kube::OwnerReference& owner) {
  json::Value metadata = json::Value::Object(
      {{"name", name}, {"namespace", name_space}, {"labels", api::Codec<Labels>::Encode(labels)}});
  if (!annotations.empty()) {
    metadata.Set("annotations", api::Codec<Labels>::Encode(annotations));
  }
  metadata.Set("ownerReferences", json::Value::Array({owner.ToValue()}));
  return json::Value::Object(
      {{"apiVersion", api_version}, {"kind", kind}, {"metadata", std::move(metadata)}});
}

}  // namespace hearth::grove::internal
