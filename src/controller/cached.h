#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/informer.h"
#include "controller/object_store.h"
#include "json/projection.h"

namespace hearth::controller {

// One object as a reconciler sees it: typed access to the declared fields, and the metadata that is
// always there. Holds the object.
template <typename P>
class Snapshot {
 public:
  explicit Snapshot(ObjectPtr object) : object_(std::move(object)) {}

  // snapshot.get<"spec.replicas">()
  template <json::FieldPath kPath>
  auto get() const {
    return P(object_->view()).template get<kPath>();
  }
  const CachedObject& operator*() const { return *object_; }
  const CachedObject* operator->() const { return object_.get(); }
  const ObjectPtr& ptr() const { return object_; }

 private:
  ObjectPtr object_;
};

// A reader of one informer through a projection. The only way to read a cache, so what is not
// watched cannot be read. Copies are cheap.
template <typename P>
class Cached {
 public:
  explicit Cached(const Informer& informer) : informer_(&informer) {}

  std::optional<Snapshot<P>> Get(const kube::ObjectKey& key) const {
    ObjectPtr object = informer_->store().Get(key.name_space, key.name);
    return object ? std::optional<Snapshot<P>>(Snapshot<P>(std::move(object))) : std::nullopt;
  }
  std::vector<Snapshot<P>> List() const { return Wrap(informer_->store().List()); }
  std::vector<Snapshot<P>> List(std::string_view name_space) const {
    return Wrap(informer_->store().List(name_space));
  }
  std::vector<Snapshot<P>> Lookup(std::string_view index, std::string_view value) const {
    return Wrap(informer_->store().Lookup(index, value));
  }
  const Informer& informer() const { return *informer_; }

 private:
  static std::vector<Snapshot<P>> Wrap(std::vector<ObjectPtr> objects) {
    std::vector<Snapshot<P>> snapshots;
    snapshots.reserve(objects.size());
    for (ObjectPtr& object : objects) {
      snapshots.emplace_back(std::move(object));
    }
    return snapshots;
  }
  const Informer* informer_;
};

}  // namespace hearth::controller
