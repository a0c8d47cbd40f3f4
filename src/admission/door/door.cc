#include "admission/door/door.h"

#include <fmt/format.h>

#include "admission/door/internal/passage.h"
#include "admission/dynamo/dynamo_rules.h"
#include "admission/grove/grove_rules.h"
#include "api/catalog/catalog.h"

namespace hearth::admission {
namespace {

using json::Value;

Result<std::string> Text(const Value& object, std::string_view name) {
  const Value* value = object.Find(name);
  if (value == nullptr || !value->IsString() || value->string().empty()) {
    return InvalidError(fmt::format("the object has no {}", name));
  }
  return value->string();
}

Result<const api::CheckedKind*> KindOf(const Value& object) {
  if (!object.IsObject()) {
    return InvalidError("not an object of Kubernetes: that is a mapping with apiVersion and kind");
  }
  ASSIGN_OR_RETURN(const std::string api_version, Text(object, "apiVersion"));
  ASSIGN_OR_RETURN(const std::string kind, Text(object, "kind"));
  const api::CheckedKind* checked = api::FindKind(api_version, kind);
  if (checked == nullptr) {
    return NotFoundError(fmt::format("no kind \"{}\" in version \"{}\"", kind, api_version));
  }
  return checked;
}

}  // namespace

const KindRules* FindRules(std::string_view group, std::string_view kind) {
  for (const auto* rules : {&DynamoRules(), &GroveRules()}) {
    for (const KindRules& candidate : *rules) {
      if (candidate.group == group && candidate.kind == kind) {
        return &candidate;
      }
    }
  }
  return nullptr;
}

Result<Admitted> Admit(Value object, const Request& request) {
  ASSIGN_OR_RETURN(const api::CheckedKind* kind, KindOf(object));
  const KindRules* rules = FindRules(kind->definition.group, kind->definition.kind);
  return internal::Pass(*kind, rules, std::move(object), request);
}

}  // namespace hearth::admission
