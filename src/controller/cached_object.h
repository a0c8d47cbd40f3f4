#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "json/prune.h"
#include "json/view.h"
#include "kube/model/names.h"

namespace hearth::controller {

class ObjectPtr;

// One object in a cache: a header, the name and the kept JSON in a single allocation, immutable and
// shared by counting. There is no copy of an object anywhere, and nothing is parsed until it is
// read.
class CachedObject {
 public:
  static ObjectPtr Make(const json::Pruner::Output& pruned);

  std::string_view name() const { return {tail(), name_size_}; }
  std::string_view name_space() const { return {tail() + name_size_, name_space_size_}; }
  std::string uid() const;
  bool SameUid(const CachedObject& other) const;
  uint64_t resource_version() const { return resource_version_; }
  int64_t generation() const { return generation_; }
  bool deleting() const { return deleting_; }
  // Over the declared fields: equal hashes mean nothing that anybody reads has changed.
  uint64_t hash() const { return hash_; }
  json::View view() const {
    return json::View::Trusted({tail() + name_size_ + name_space_size_ + uid_size_, json_size_});
  }
  kube::ObjectKey key() const { return {std::string(name_space()), std::string(name())}; }
  size_t allocated_bytes() const;

 private:
  friend class ObjectPtr;
  friend class ObjectStore;
  CachedObject() = default;
  const char* tail() const { return reinterpret_cast<const char*>(this + 1); }
  char* tail() { return reinterpret_cast<char*>(this + 1); }

  mutable std::atomic<uint32_t> references_{1};
  mutable uint32_t epoch_ = 0;  // which list saw it last; the store's own, under its lock
  uint64_t resource_version_ = 0;
  uint64_t hash_ = 0;
  int64_t generation_ = 0;
  uint32_t json_size_ = 0;
  uint16_t name_size_ = 0;
  uint16_t name_space_size_ = 0;
  uint8_t uid_size_ = 0;  // 16 when packed
  bool uid_packed_ = false;
  bool deleting_ = false;
};

// Shares ownership of a CachedObject; null when default made.
class ObjectPtr {
 public:
  ObjectPtr() = default;
  ObjectPtr(const ObjectPtr& other) : object_(other.object_) { Retain(); }
  ObjectPtr(ObjectPtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ObjectPtr& operator=(ObjectPtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~ObjectPtr() { Release(); }

  const CachedObject* get() const { return object_; }
  const CachedObject* operator->() const { return object_; }
  const CachedObject& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const ObjectPtr&, const ObjectPtr&) = default;

 private:
  friend class CachedObject;
  explicit ObjectPtr(CachedObject* adopted) : object_(adopted) {}
  void Retain() const;
  void Release();

  const CachedObject* object_ = nullptr;
};

}  // namespace hearth::controller
