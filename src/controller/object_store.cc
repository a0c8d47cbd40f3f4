#include "controller/object_store.h"

#include <algorithm>
#include <mutex>

#include "base/check.h"
#include "base/seeded_hash.h"
#include "json/projection.h"
#include "kube/model/object.h"

namespace hearth::controller {
namespace {

struct KeyView {
  std::string_view name_space;
  std::string_view name;
};

KeyView KeyOf(const KeyView& key) { return key; }
KeyView KeyOf(const ObjectPtr& object) { return {object->name_space(), object->name()}; }

struct KeyHash {
  using is_transparent = void;
  size_t operator()(const auto& value) const {
    const KeyView key = KeyOf(value);
    // Both are random to whoever chose the names, so their sum is.
    return SeededHash()(key.name) + 3 * SeededHash()(key.name_space);
  }
};

struct KeyEqual {
  using is_transparent = void;
  bool operator()(const auto& a, const auto& b) const {
    const KeyView left = KeyOf(a);
    const KeyView right = KeyOf(b);
    return left.name == right.name && left.name_space == right.name_space;
  }
};

bool ByKey(const ObjectPtr& a, const ObjectPtr& b) {
  const int order = a->name_space().compare(b->name_space());
  return order != 0 ? order < 0 : a->name() < b->name();
}

std::vector<ObjectPtr> Sorted(std::vector<ObjectPtr> objects) {
  std::sort(objects.begin(), objects.end(), ByKey);
  return objects;
}

// One declared index: value to the objects that have it.
struct IndexTable {
  Index index;
  SeededMap<std::string, std::vector<ObjectPtr>> entries;

  void Insert(const ObjectPtr& object) {
    index.values(*object, [&](std::string_view value) {
      auto found = entries.find(value);
      if (found == entries.end()) {
        found = entries.emplace(std::string(value), std::vector<ObjectPtr>()).first;
      }
      if (std::find(found->second.begin(), found->second.end(), object) == found->second.end()) {
        found->second.push_back(object);
      }
    });
  }

  void Erase(const ObjectPtr& object) {
    index.values(*object, [&](std::string_view value) {
      const auto found = entries.find(value);
      if (found == entries.end()) {
        return;
      }
      std::erase(found->second, object);
      if (found->second.empty()) {
        entries.erase(found);
      }
    });
  }
};

}  // namespace

Index IndexByOwner() {
  return {"owner", [](const CachedObject& object, const auto& emit) {
            for (const json::View owner : object.view()["metadata"]["ownerReferences"].items()) {
              emit(owner["uid"].StringOr(""));
            }
          }};
}

Index IndexByLabel(std::string name, std::string label) {
  return {std::move(name),
          [label = std::move(label)](const CachedObject& object, const auto& emit) {
            if (const auto value = object.view()["metadata"]["labels"][label].String()) {
              emit(*value);
            }
          }};
}

Index IndexByField(std::string name, std::string path) {
  return {std::move(name), [path = std::move(path)](const CachedObject& object, const auto& emit) {
            if (const auto value = json::Resolve(object.view(), path).String()) {
              emit(*value);
            }
          }};
}

struct ObjectStore::Impl {
  mutable std::shared_mutex mutex;
  std::unordered_set<ObjectPtr, KeyHash, KeyEqual> objects;
  std::vector<IndexTable> indexes;
  uint64_t resource_version = 0;
  uint32_t epoch = 0;
  bool replacing = false;
  bool authoritative = false;

  ObjectPtr Find(const KeyView& key) const {
    const auto found = objects.find(key);
    return found == objects.end() ? ObjectPtr() : *found;
  }

  // Seen already, or older than what we have: time runs backwards for an object only when the
  // server says so.
  bool IsOld(const CachedObject& ours, const CachedObject& theirs) const {
    return replacing && authoritative ? ours.resource_version() == theirs.resource_version()
                                      : ours.resource_version() >= theirs.resource_version();
  }

  // Puts `object` in the place of `old`, which may be null.
  void Put(const ObjectPtr& old, const ObjectPtr& object) {
    if (old) {
      Drop(old);
    }
    objects.insert(object);
    for (IndexTable& table : indexes) {
      table.Insert(object);
    }
  }

  void Drop(const ObjectPtr& object) {
    for (IndexTable& table : indexes) {
      table.Erase(object);
    }
    objects.erase(object);
  }

  std::vector<ObjectPtr> All() const { return {objects.begin(), objects.end()}; }
};

ObjectStore::ObjectStore(std::vector<Index> indexes) : impl_(std::make_unique<Impl>()) {
  for (Index& index : indexes) {
    AddIndex(std::move(index));
  }
}

ObjectStore::~ObjectStore() = default;

void ObjectStore::AddIndex(Index index) {
  const std::unique_lock lock(impl_->mutex);
  CHECK(impl_->objects.empty()) << "index " << index.name << " was added after the first object";
  for (const IndexTable& table : impl_->indexes) {
    if (table.index.name == index.name) {
      return;
    }
  }
  impl_->indexes.push_back({std::move(index), {}});
}

ObjectPtr ObjectStore::Get(std::string_view name_space, std::string_view name) const {
  const std::shared_lock lock(impl_->mutex);
  return impl_->Find({name_space, name});
}

std::vector<ObjectPtr> ObjectStore::List() const { return Snapshot().first; }

std::vector<ObjectPtr> ObjectStore::List(std::string_view name_space) const {
  std::vector<ObjectPtr> found;
  {
    const std::shared_lock lock(impl_->mutex);
    for (const ObjectPtr& object : impl_->objects) {
      if (object->name_space() == name_space) {
        found.push_back(object);
      }
    }
  }
  return Sorted(std::move(found));
}

std::vector<ObjectPtr> ObjectStore::Lookup(std::string_view index, std::string_view value) const {
  const std::shared_lock lock(impl_->mutex);
  for (const IndexTable& table : impl_->indexes) {
    if (table.index.name == index) {
      const auto found = table.entries.find(value);
      return found == table.entries.end() ? std::vector<ObjectPtr>() : Sorted(found->second);
    }
  }
  CHECK(false) << "index " << index << " was not declared";
  return {};
}

size_t ObjectStore::size() const {
  const std::shared_lock lock(impl_->mutex);
  return impl_->objects.size();
}

uint64_t ObjectStore::resource_version() const {
  const std::shared_lock lock(impl_->mutex);
  return impl_->resource_version;
}

std::pair<std::vector<ObjectPtr>, uint64_t> ObjectStore::Snapshot() const {
  std::pair<std::vector<ObjectPtr>, uint64_t> snapshot;
  {
    const std::shared_lock lock(impl_->mutex);
    snapshot = {impl_->All(), impl_->resource_version};
  }
  std::sort(snapshot.first.begin(), snapshot.first.end(), ByKey);
  return snapshot;
}

size_t ObjectStore::allocated_bytes() const {
  const std::shared_lock lock(impl_->mutex);
  size_t total = 0;
  for (const ObjectPtr& object : impl_->objects) {
    total += object->allocated_bytes();
  }
  return total;
}

void ObjectStore::Upsert(ObjectPtr object, const OnChange& on_change) {
  ObjectPtr old;
  const bool initial = resource_version() == 0;
  bool same_uid = false;
  {
    const std::unique_lock lock(impl_->mutex);
    old = impl_->Find({object->name_space(), object->name()});
    object->epoch_ = impl_->epoch;
    same_uid = old && old->SameUid(*object);
    if (same_uid && impl_->IsOld(*old, *object)) {
      old->epoch_ = impl_->epoch;
      return;
    }
    impl_->Put(old, object);
  }
  if (!old) {
    on_change({Change::Type::kAdded, {}, std::move(object), initial});
  } else if (same_uid) {
    on_change({Change::Type::kUpdated, std::move(old), std::move(object), initial});
  } else {
    on_change({Change::Type::kDeleted, std::move(old), {}, initial});
    on_change({Change::Type::kAdded, {}, std::move(object), initial});
  }
}

void ObjectStore::Remove(std::string_view name_space, std::string_view name, ObjectPtr last_state,
                         const OnChange& on_change) {
  ObjectPtr old;
  {
    const std::unique_lock lock(impl_->mutex);
    old = impl_->Find({name_space, name});
    if (!old || (last_state && !old->SameUid(*last_state))) {
      return;
    }
    impl_->Drop(old);
  }
  on_change(
      {Change::Type::kDeleted, last_state ? std::move(last_state) : std::move(old), {}, false});
}

void ObjectStore::BeginReplace(bool authoritative) {
  const std::unique_lock lock(impl_->mutex);
  ++impl_->epoch;
  impl_->replacing = true;
  impl_->authoritative = authoritative;
}

void ObjectStore::EndReplace(uint64_t resource_version, const OnChange& on_change) {
  std::vector<ObjectPtr> vanished;
  {
    const std::unique_lock lock(impl_->mutex);
    CHECK(impl_->replacing) << "EndReplace without BeginReplace";
    impl_->replacing = false;
    for (const ObjectPtr& object : impl_->objects) {
      if (object->epoch_ != impl_->epoch) {
        vanished.push_back(object);
      }
    }
    for (const ObjectPtr& object : vanished) {
      impl_->Drop(object);
    }
    impl_->resource_version = impl_->authoritative
                                  ? resource_version
                                  : std::max(impl_->resource_version, resource_version);
  }
  for (ObjectPtr& object : vanished) {
    on_change({Change::Type::kDeleted, std::move(object), {}, false});
  }
}

void ObjectStore::AdvanceTo(uint64_t resource_version) {
  const std::unique_lock lock(impl_->mutex);
  impl_->resource_version = std::max(impl_->resource_version, resource_version);
}

}  // namespace hearth::controller
