#include "grove/scheduler/internal/gang_object.h"

#include <utility>

#include "api/grove/constants.h"
#include "api/table/codec.h"
#include "kube/model/object.h"

namespace hearth::grove::internal {

json::Value NewGangObject(const kube::ResourceType& type, const GangFacts& gang,
                          const Labels& labels) {
  const kube::OwnerReference owner{
      std::string(api::grove::kSchedulerGroup) + "/" + std::string(api::grove::kVersion),
      "PodGang",
      gang.id.name,
      gang.id.uid,
      true,
      true};
  json::Value object = kube::NewObject(type, {gang.id.name_space, gang.id.name});
  json::Value& metadata = object["metadata"];
  metadata.Set("labels", api::Codec<Labels>::Encode(labels));
  metadata.Set("ownerReferences", json::Value::Array({owner.ToValue()}));
  return object;
}

std::string Get(const Labels& labels, std::string_view key) {
  const auto found = labels.find(std::string(key));
  return found == labels.end() ? "" : found->second;
}

int32_t MinMembers(const GangFacts& gang) {
  int32_t members = 0;
  for (const auto& group : gang.spec.pod_groups) {
    members += group.min_replicas;
  }
  return members;
}

}  // namespace hearth::grove::internal
