#include "controller/cached_object.h"

#include <array>
#include <cstring>
#include <limits>
#include <new>

#include "base/check.h"
#include "kube/model/resource_version.h"

namespace hearth::controller {
namespace {

constexpr size_t kPackedUid = 16;
using PackedUid = std::array<char, kPackedUid>;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// A uid is nearly always a lower-case UUID: 16 bytes instead of 36.
bool PackUid(std::string_view uid, PackedUid& packed) {
  constexpr size_t kUuidLength = 36;
  if (uid.size() != kUuidLength) {
    return false;
  }
  size_t out = 0;
  for (size_t i = 0; i < kUuidLength;) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (uid[i++] != '-') {
        return false;
      }
      continue;
    }
    const int high = HexDigit(uid[i]);
    const int low = HexDigit(uid[i + 1]);
    if (high < 0 || low < 0) {
      return false;
    }
    packed[out++] = static_cast<char>(high * 16 + low);
    i += 2;
  }
  return true;
}

std::string UnpackUid(std::string_view packed) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string uid;
  uid.reserve(36);
  for (size_t i = 0; i < packed.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      uid += '-';
    }
    const auto byte = static_cast<unsigned char>(packed[i]);
    uid += kDigits[byte >> 4];
    uid += kDigits[byte & 15];
  }
  return uid;
}

}  // namespace

ObjectPtr CachedObject::Make(const json::Pruner::Output& pruned) {
  PackedUid packed;
  const bool is_packed = PackUid(pruned.uid, packed);
  const std::string_view uid =
      is_packed ? std::string_view(packed.data(), packed.size()) : pruned.uid;
  // Names and uids are bounded by the API server; the informer refuses what does not fit here.
  CHECK(pruned.name.size() <= std::numeric_limits<uint16_t>::max());
  CHECK(pruned.name_space.size() <= std::numeric_limits<uint16_t>::max());
  CHECK(uid.size() <= std::numeric_limits<uint8_t>::max());

  const size_t tail_size =
      pruned.name.size() + pruned.name_space.size() + uid.size() + pruned.json.size();
  auto* object = new (::operator new(sizeof(CachedObject) + tail_size)) CachedObject();
  object->resource_version_ = kube::ParseResourceVersion(pruned.resource_version).value_or(0);
  object->hash_ = pruned.hash;
  object->generation_ = pruned.generation;
  object->json_size_ = static_cast<uint32_t>(pruned.json.size());
  object->name_size_ = static_cast<uint16_t>(pruned.name.size());
  object->name_space_size_ = static_cast<uint16_t>(pruned.name_space.size());
  object->uid_size_ = static_cast<uint8_t>(uid.size());
  object->uid_packed_ = is_packed;
  object->deleting_ = pruned.deleting;
  char* out = object->tail();
  for (const std::string_view part : {pruned.name, pruned.name_space, uid, pruned.json}) {
    if (!part.empty()) {
      std::memcpy(out, part.data(), part.size());
      out += part.size();
    }
  }
  return ObjectPtr(object);
}

std::string CachedObject::uid() const {
  const std::string_view stored(tail() + name_size_ + name_space_size_, uid_size_);
  return uid_packed_ ? UnpackUid(stored) : std::string(stored);
}

bool CachedObject::SameUid(const CachedObject& other) const {
  return uid_packed_ == other.uid_packed_ &&
         std::string_view(tail() + name_size_ + name_space_size_, uid_size_) ==
             std::string_view(other.tail() + other.name_size_ + other.name_space_size_,
                              other.uid_size_);
}

size_t CachedObject::allocated_bytes() const {
  return sizeof(CachedObject) + name_size_ + name_space_size_ + uid_size_ + json_size_;
}

void ObjectPtr::Retain() const {
  if (object_ != nullptr) {
    object_->references_.fetch_add(1, std::memory_order_relaxed);
  }
}

void ObjectPtr::Release() {
  if (object_ != nullptr && object_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    object_->~CachedObject();
    ::operator delete(const_cast<CachedObject*>(object_));
  }
}

}  // namespace hearth::controller
