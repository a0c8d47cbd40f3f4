// What Pruner gives out is JSON, pruning it again changes nothing, and keeping everything is what
// Parse does.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "json/prune.h"

namespace hearth::json {
namespace {

FieldSet SomeFields() {
  using Mark = FieldSet::Mark;
  FieldSet fields;
  for (const auto& [path, mark] : {std::pair{"spec.a", Mark::kKept},
                                   {"spec.s", Mark::kSilent},
                                   {"list[].x", Mark::kKept},
                                   {"list[].s", Mark::kSilent},
                                   {"list[][].y", Mark::kKept},
                                   {"metadata", Mark::kKept},
                                   {"metadata.managedFields", Mark::kDropped},
                                   {"status", Mark::kSilent},
                                   {"status.phase", Mark::kKept}}) {
    const Status added = fields.Add(path, mark);
    CHECK(added.ok()) << added.ToString();
  }
  return fields;
}

void CheckSome(std::string_view text) {
  static const FieldSet fields = SomeFields();
  static Pruner pruner(fields);
  const auto first = pruner.Prune(text);
  if (!first.ok()) {
    return;
  }
  const std::string json(first->json);
  const std::string name(first->name);
  const uint64_t hash = first->hash;
  const auto parsed = Parse(json);
  CHECK(parsed.ok() && parsed->text() == json) << json;
  const auto second = pruner.Prune(json);
  CHECK(second.ok() && second->json == json && second->hash == hash) << json;
  CHECK(second->name == name) << json;
}

void CheckEverything(std::string_view text) {
  static const FieldSet everything = FieldSet::Everything();
  static Pruner pruner(everything);
  const auto parsed = Parse(text);
  const auto pruned = pruner.Prune(text);
  CHECK(parsed.ok() == pruned.ok()) << pruned.status().ToString();
  CHECK(!parsed.ok() || parsed->text() == pruned->json) << text;
}

}  // namespace
}  // namespace hearth::json

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  hearth::json::CheckSome(text);
  hearth::json::CheckEverything(text);
  return 0;
}
