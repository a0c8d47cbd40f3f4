#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "controller/object_store.h"
#include "json/field_set.h"
#include "kube/model/names.h"

// From a change of some object to the keys that must be looked at.
namespace hearth::controller {

using Enqueue = std::function<void(const kube::ObjectKey& key)>;
// Called for the state before and the state after a change; on the loop, must not block.
using Mapper = std::function<void(const CachedObject& object, const Enqueue& enqueue)>;

Mapper MapToSelf();
// The controlling owner, when it is of this type. Needs metadata.ownerReferences kept.
Mapper MapToController(const kube::ResourceType& owner);
// Every owner of this type, controlling or not.
Mapper MapToOwners(const kube::ResourceType& owner);
// The object that a label names, in the same name space.
Mapper MapToLabel(std::string label);

// Whether a change concerns somebody who reads `fields`: additions and deletions always, updates
// when a declared, waking field differs, or the deletion mark, or the uid.
bool Concerns(const Change& change, const json::FieldSet& fields);

}  // namespace hearth::controller
