#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "controller/cached_object.h"

namespace hearth::controller {

// What happened to one object. A replaced object of the same name (another uid) is a deletion and
// then an addition.
struct Change {
  enum class Type { kAdded, kUpdated, kDeleted };
  Type type;
  ObjectPtr before;      // null for kAdded
  ObjectPtr after;       // null for kDeleted; `before` is then the last state known
  bool initial = false;  // part of the first filling

  const CachedObject& object() const { return after ? *after : *before; }
};

// Values by which objects can be looked up, e.g. the uid of their owner. Called with the kept JSON.
struct Index {
  std::string name;
  std::function<void(const CachedObject& object,
                     const std::function<void(std::string_view value)>& emit)>
      values;
};
Index IndexByOwner();  // "owner": uid of every owner; needs metadata.ownerReferences kept
Index IndexByLabel(std::string name, std::string label);  // needs metadata.labels kept
Index IndexByField(std::string name, std::string path);   // a string field

// The objects of one informer with their indexes, and the resource version up to which they are
// true. One writer, many readers. Readers get pointers that stay valid and never change.
class ObjectStore {
 public:
  explicit ObjectStore(std::vector<Index> indexes = {});
  ~ObjectStore();
  // Before the first object.
  void AddIndex(Index index);

  // Readers; thread-safe.
  ObjectPtr Get(std::string_view name_space, std::string_view name) const;
  std::vector<ObjectPtr> List() const;  // sorted by name space and name
  std::vector<ObjectPtr> List(std::string_view name_space) const;
  // CHECKs that the index was declared.
  std::vector<ObjectPtr> Lookup(std::string_view index, std::string_view value) const;
  size_t size() const;
  uint64_t resource_version() const;  // 0 before the first sync
  // Objects and version belonging together.
  std::pair<std::vector<ObjectPtr>, uint64_t> Snapshot() const;
  size_t allocated_bytes() const;

  // The writer; one thread. Each calls `on_change` for what really changed, after the store shows
  // it and without the lock held.
  using OnChange = std::function<void(const Change&)>;
  void Upsert(ObjectPtr object, const OnChange& on_change);
  void Remove(std::string_view name_space, std::string_view name, ObjectPtr last_state,
              const OnChange& on_change);
  // Upserts between Begin and End mark what a full list holds; End removes the rest. A list that
  // fails half-way is just begun again. With `authoritative` lower versions than ours are taken,
  // too.
  void BeginReplace(bool authoritative = false);
  void EndReplace(uint64_t resource_version, const OnChange& on_change);
  void AdvanceTo(uint64_t resource_version);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::controller
