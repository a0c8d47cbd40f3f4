#include "controller/testing/pruned.h"

#include <fmt/format.h>

#include "base/check.h"
#include "json/prune.h"

namespace hearth::controller {

ObjectPtr MakeCached(std::string_view json, const json::FieldSet& fields) {
  json::Pruner pruner(fields);
  const auto pruned = pruner.Prune(json);
  CHECK(pruned.ok()) << pruned.status().ToString();
  return CachedObject::Make(*pruned);
}

ObjectPtr MakeCached(std::string_view json) {
  return MakeCached(json, json::FieldSet::Everything());
}

std::string ObjectText(std::string_view name, std::string_view uid, uint64_t version, int value) {
  return fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"ns","uid":"{}","resourceVersion":"{}"}},"spec":{{"v":{}}}}})",
      name, uid, version, value);
}

}  // namespace hearth::controller
