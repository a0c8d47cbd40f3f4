#include "schema/prune.h"

#include <algorithm>

#include "schema/field_path.h"
#include "schema/internal/members.h"

namespace hearth::schema {
namespace {

using json::Value;

bool IsMetaField(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

class Pruner {
 public:
  // `schema` is null where nothing is known.
  void Prune(Value& value, const Schema* schema, bool resource, const FieldPath& path) {
    const bool preserve = schema != nullptr && schema->preserve_unknown_fields;
    if (value.IsObject()) {
      PruneMembers(value.members(), schema, preserve, resource, path);
    } else if (value.IsArray()) {
      const Schema* items = schema == nullptr ? nullptr : schema->items.get();
      if (preserve) {
        SkipItems(value, items, path);
      } else {
        PruneItems(value, items, path);
      }
    }
  }

  std::vector<std::string> Take() {
    std::sort(pruned_.begin(), pruned_.end());
    return std::move(pruned_);
  }
  size_t more() const { return more_; }

 private:
  void PruneItems(Value& list, const Schema* items, const FieldPath& path) {
    for (size_t i = 0; i < list.items().size(); ++i) {
      Value& item = list.items()[i];
      Prune(item, items, items != nullptr && items->embedded_resource, path.Item(i));
    }
  }

  // Items of a list that keeps what is not known keep it as well; only what the schema names within
  // them is pruned.
  void SkipItems(Value& list, const Schema* items, const FieldPath& path) {
    for (size_t i = 0; items != nullptr && i < list.items().size(); ++i) {
      Value& item = list.items()[i];
      const FieldPath at = path.Item(i);
      if (item.IsObject()) {
        PruneMembers(item.members(), items, true, items->embedded_resource, at);
      } else if (item.IsArray()) {
        SkipItems(item, items->items.get(), at);
      }
    }
  }

  void PruneMembers(Value::Members& members, const Schema* schema, bool preserve, bool resource,
                    const FieldPath& path) {
    internal::KeepMembers(members, [&](Value::Member& member) {
      return (resource && IsMetaField(member.first)) || Keep(member, schema, preserve, path);
    });
  }

  bool Keep(Value::Member& member, const Schema* schema, bool preserve, const FieldPath& path) {
    const FieldPath at = path.Child(member.first);
    const Schema* known = schema == nullptr ? nullptr : schema->Find(member.first);
    const bool additional = schema != nullptr && (schema->additional_properties != nullptr ||
                                                  schema->any_additional_properties);
    if (known != nullptr || additional) {
      known = known != nullptr ? known : schema->additional_properties.get();
      Prune(member.second, known, known != nullptr && known->embedded_resource, at);
      return true;
    }
    if (!preserve && pruned_.size() < kMostPruned) {
      pruned_.push_back(at.ToDotted());
    } else if (!preserve) {
      ++more_;
    }
    return preserve;
  }

  std::vector<std::string> pruned_;
  size_t more_ =
      0;  // that are only counted: their names may be long, and a hostile object has many
};

}  // namespace

std::vector<std::string> Prune(Value& object, const Schema& schema, size_t* more) {
  Pruner pruner;
  pruner.Prune(object, &schema, true, FieldPath::Root());
  if (more != nullptr) {
    *more = pruner.more();
  }
  return pruner.Take();
}

std::vector<std::string> PruneValue(Value& value, const Schema& schema) {
  Pruner pruner;
  pruner.Prune(value, &schema, schema.embedded_resource, FieldPath::Root());
  return pruner.Take();
}

void PruneNulls(Value& object, const Schema& schema) {
  if (object.IsArray() && schema.items != nullptr) {
    for (Value& item : object.items()) {
      PruneNulls(item, *schema.items);
    }
  }
  if (!object.IsObject()) {
    return;
  }
  internal::KeepMembers(object.members(), [&](Value::Member& member) {
    const Schema* known = schema.Find(member.first);
    known = known != nullptr ? known : schema.additional_properties.get();
    if (known == nullptr) {
      return true;
    }
    if (!member.second.IsNull()) {
      PruneNulls(member.second, *known);
      return true;
    }
    return known->nullable || (known->default_value && !known->default_value->IsNull());
  });
}

}  // namespace hearth::schema
