#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "disk/digest.h"
#include "json/view.h"

namespace hearth::gms::storage {

// Reads the members of one JSON object and remembers the first thing that is wrong. Borrows the
// view.
class Fields {
 public:
  // `where` begins every message.
  Fields(json::View object, std::string where);

  // kInvalid later when a member is none of these.
  void OnlyThese(std::initializer_list<std::string_view> names);
  bool Has(std::string_view name) const { return object_[name].exists(); }
  std::string String(std::string_view name, size_t limit);
  std::string StringOr(std::string_view name, std::string_view other, size_t limit);
  uint64_t Uint(std::string_view name);
  uint64_t UintOr(std::string_view name, uint64_t other);
  double NumberOr(std::string_view name, double other);
  disk::Digest ReadDigest(std::string_view name);
  json::View Array(std::string_view name);
  json::View Object(std::string_view name);

  void Fail(std::string_view name, std::string_view what);
  const Status& status() const { return status_; }

 private:
  json::View object_;
  std::string where_;
  Status status_;
};

}  // namespace hearth::gms::storage
