#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/field_set.h"
#include "json/parse.h"

namespace hearth::json {

// Parses one foreign value and keeps only what `keep` marks, in one pass, without ever holding the
// whole. Reused for object after object: buffers are kept. Not thread-safe.
//
// Skipped objects and arrays are checked for UTF-8 and balance only; everything else is checked as
// json::Parse does.
//
// Objects and arrays on the way to a kept field keep their brackets when the source has them, even
// if nothing in them is kept; any other value there is left out, or is null where a place must be
// held: as an element, and at the top.
class Pruner {
 public:
  // `keep` must outlive the pruner.
  explicit Pruner(const FieldSet& keep, ParseLimits limits = {});
  ~Pruner();
  Pruner(Pruner&&) noexcept;

  struct Output {
    std::string_view json;  // compact; valid until the next call
    // Over the kept fields whose change counts: equal hashes mean nothing a reader declared has
    // changed. The text counts, so fields in another order are another hash; white space does not.
    // metadata's resourceVersion, generation and managedFields never count.
    uint64_t hash = 0;
    // Taken from metadata on the way past, whatever `keep` says; empty when absent. Valid until the
    // next call.
    std::string_view name;
    std::string_view name_space;
    std::string_view uid;
    std::string_view resource_version;
    int64_t generation = 0;
    bool deleting = false;  // deletionTimestamp is set
  };

  // kInvalid for what is not JSON, kExhausted over a limit; both with the byte offset. `capacity`,
  // as ItemSplitter and the watch hand it on, is how many bytes may be read from text.data() on;
  // nothing behind the text is ever read, so that text.size() does as well.
  Result<Output> Prune(std::string_view text, size_t capacity);
  Result<Output> Prune(std::string_view text) { return Prune(text, text.size()); }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::json
