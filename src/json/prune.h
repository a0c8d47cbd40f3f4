#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/field_set.h"
#include "json/parse.h"

namespace hearth::json {

// Parses one foreign value and keeps only what `keep` marks, in one pass, without ever holding the whole. Reused for object after
// object: buffers are kept. Not thread-safe.
//
// Skipped parts are checked for UTF-8 and balance only; what is kept is checked as json::Parse does.
class Pruner {
 public:
  // `keep` must outlive the pruner.
  explicit Pruner(const FieldSet& keep, ParseLimits limits = {});
  ~Pruner();
  Pruner(Pruner&&) noexcept;

  struct Output {
    std::string_view json;  // compact; valid until the next call
    // Over the kept fields whose change counts: equal hashes mean nothing a reader declared has changed.
    uint64_t hash = 0;
    // Taken from metadata on the way past, whatever `keep` says; empty when absent. Valid until the next call.
    std::string_view name;
    std::string_view name_space;
    std::string_view uid;
    std::string_view resource_version;
    int64_t generation = 0;
    bool deleting = false;  // deletionTimestamp is set
  };

  // Reads `capacity` bytes past text.data(), of which text.size() are the value; when fewer than kPadding bytes lie behind the text it
  // is copied first.
  static constexpr size_t kPadding = 64;
  Result<Output> Prune(std::string_view text, size_t capacity);
  Result<Output> Prune(std::string_view text) { return Prune(text, text.size()); }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::json
