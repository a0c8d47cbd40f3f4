#include "controller/sources.h"

#include <algorithm>
#include <array>
#include <utility>

#include "json/view.h"
#include "kube/model/object.h"

namespace hearth::controller {
namespace {

using json::FieldSet;
using json::View;

void EnqueueOwners(const kube::ResourceType& owner, bool only_controller,
                   const CachedObject& object, const Enqueue& enqueue) {
  for (const kube::OwnerReference& reference : kube::Meta(object.view()).owners()) {
    if (reference.kind != owner.kind || (only_controller && !reference.controller)) {
      continue;
    }
    const auto version = kube::GroupVersion::Parse(reference.api_version);
    if (version.ok() && version->group == owner.group) {
      enqueue(
          {owner.namespaced ? std::string(object.name_space()) : std::string(), reference.name});
    }
  }
}

// What changes with every write and says nothing.
bool IsBookkeeping(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"resourceVersion", "generation",
                                                      "managedFields"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

enum class Where { kRoot, kMetadata, kElsewhere };

// What a node's mark comes to below one marked `above`.
FieldSet::Mark MarkOf(const FieldSet::Node& node, FieldSet::Mark above) {
  return node.mark == FieldSet::Mark::kInner ? above : node.mark;
}

bool Differs(const FieldSet::Node& node, FieldSet::Mark above, View before, View after,
             Where where);

// Members that `node` does not name count only where the node itself, marked `mark`, is kept.
bool MembersDiffer(const FieldSet::Node& node, FieldSet::Mark mark, View from, View other,
                   Where where) {
  for (const json::Member& member : from.members()) {
    const std::string name = member.Name();
    if (where == Where::kMetadata && IsBookkeeping(name)) {
      continue;
    }
    const FieldSet::Node* child = node.Member(name);
    const Where below =
        where == Where::kRoot && name == "metadata" ? Where::kMetadata : Where::kElsewhere;
    if (child != nullptr) {
      if (Differs(*child, mark, member.value, other[name], below)) {
        return true;
      }
    } else if (mark == FieldSet::Mark::kKept) {
      static const FieldSet kEverything = FieldSet::Everything();
      if (Differs(kEverything.root(), mark, member.value, other[name], below)) {
        return true;
      }
    }
  }
  return false;
}

bool ElementsDiffer(const FieldSet::Node& element, FieldSet::Mark above, View before, View after) {
  const size_t size = before.size();
  if (size != after.size()) {
    return true;
  }
  for (size_t i = 0; i < size; ++i) {
    if (Differs(element, above, before.at(i), after.at(i), Where::kElsewhere)) {
      return true;
    }
  }
  return false;
}

bool Differs(const FieldSet::Node& node, FieldSet::Mark above, View before, View after,
             Where where) {
  if (before.raw() == after.raw()) {
    return false;
  }
  const FieldSet::Mark mark = MarkOf(node, above);
  if (node.element && before.IsArray() && after.IsArray()) {
    return ElementsDiffer(*node.element, mark, before, after);
  }
  const bool named_parts = !node.members.empty() || where != Where::kElsewhere;
  const bool both_objects =
      before.kind() == json::Kind::kObject && after.kind() == json::Kind::kObject;
  if (mark == FieldSet::Mark::kKept && !(named_parts && both_objects)) {
    return true;
  }
  // Also where the node itself appeared or vanished: what it leads to did as well, unless there was
  // nothing.
  return MembersDiffer(node, mark, before, after, where) ||
         MembersDiffer(node, mark, after, before, where) ||
         (node.element && before.size() != after.size());
}

}  // namespace

Mapper MapToSelf() {
  return [](const CachedObject& object, const Enqueue& enqueue) { enqueue(object.key()); };
}

Mapper MapToController(const kube::ResourceType& owner) {
  return [owner](const CachedObject& object, const Enqueue& enqueue) {
    EnqueueOwners(owner, true, object, enqueue);
  };
}

Mapper MapToOwners(const kube::ResourceType& owner) {
  return [owner](const CachedObject& object, const Enqueue& enqueue) {
    EnqueueOwners(owner, false, object, enqueue);
  };
}

Mapper MapToLabel(std::string label) {
  return [label = std::move(label)](const CachedObject& object, const Enqueue& enqueue) {
    if (auto name = object.view()["metadata"]["labels"][label].String()) {
      enqueue({std::string(object.name_space()), *std::move(name)});
    }
  };
}

bool Concerns(const Change& change, const FieldSet& fields) {
  if (change.type != Change::Type::kUpdated ||
      change.before->deleting() != change.after->deleting()) {
    return true;
  }
  return change.before->hash() != change.after->hash() &&
         Differs(fields.root(), FieldSet::Mark::kDropped, change.before->view(),
                 change.after->view(), Where::kRoot);
}

}  // namespace hearth::controller
