#include "admission/door/door.h"

#include "admission/dynamo/dynamo_rules.h"
#include "admission/grove/grove_rules.h"

namespace hearth::admission {

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

}  // namespace hearth::admission
