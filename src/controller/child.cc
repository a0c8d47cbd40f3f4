#include "controller/child.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "kube/model/api_status.h"
#include "kube/model/object.h"

namespace hearth::controller {
namespace {

Status StandsInTheWay(const kube::ResourceType& type, const kube::ObjectKey& key,
                      const std::optional<kube::OwnerReference>& controller) {
  const std::string whose =
      controller ? fmt::format("belongs to {} {}", controller->kind, controller->name)
                 : "is not ours";
  return {Code::kConflict, "NameConflict",
          fmt::format("{} {} is needed here but {}; delete or rename one of them", type.kind,
                      key.ToString(), whose)};
}

// Once we have applied an object its fields are ours. Before that they belong to its creation, ours
// or that of who was there before us.
Result<bool> Amend(Pass& pass, Child child) {
  // The number of replicas was read from it, and somebody may be scaling it at this moment.
  Pass::ApplyOptions options{
      .since = Pass::Since::kCached, .former_managers = {}, .must_be_stamped = child.changed};
  const std::string_view self[] = {pass.client().options().field_manager};
  if (!WasApplied(child.cached->view())) {
    options.former_managers = child.former_managers;
    if (options.former_managers.empty()) {
      options.former_managers = self;
    }
  }
  return pass.Apply(child.type, std::move(child.desired), child.cached, options);
}

// The owner that a child's reference names as controlling.
std::string_view NameOfOwner(const json::Value& desired) {
  const json::Value* owners = desired.FindPath("metadata.ownerReferences");
  const bool has = owners != nullptr && owners->IsArray() && !owners->items().empty();
  const json::Value* name = has ? owners->items()[0].Find("name") : nullptr;
  return name != nullptr && name->IsString() ? std::string_view(name->string()) : "";
}

}  // namespace

Result<bool> EnsureChild(Pass& pass, Child child, std::string_view owner_uid) {
  if (child.cached != nullptr) {
    const auto controller = kube::Meta(child.cached->view()).controller();
    const bool ours = !controller || controller->uid == owner_uid;
    if (!ours && controller->name != NameOfOwner(child.desired)) {
      return StandsInTheWay(child.type, child.cached->key(), controller);
    }
    if (!ours || child.cached->deleting()) {
      return false;  // of a former owner of our name, or going: its end wakes us
    }
    return Amend(pass, std::move(child));
  }
  json::Value stamped = child.desired;
  StampCreated(stamped);
  const Status created = pass.Create(child.type, stamped);
  if (created.reason() != kube::reason::kAlreadyExists) {
    RETURN_IF_ERROR(created);
    return true;
  }
  if (child.birth == Birth::kCreateOrUse) {
    return false;
  }
  // Without our label it is not in the cache.
  const kube::ObjectKey key{child.desired.FindPath("metadata.namespace")->StringOr(""),
                            child.desired.FindPath("metadata.name")->StringOr("")};
  ASSIGN_OR_RETURN(const kube::Object there, pass.client().Get(child.type, key, pass.limit()));
  const auto controller = there.meta().controller();
  if (controller && controller->uid == owner_uid) {
    // The cache lags behind, or it has lost the label by which the cache would know it.
    const bool whole = !NeedsApply(there.view(), json::View::Trusted(stamped.Write()));
    return whole ? Result<bool>(false) : pass.Apply(child.type, std::move(child.desired), nullptr);
  }
  return StandsInTheWay(child.type, key, controller);
}

}  // namespace hearth::controller
