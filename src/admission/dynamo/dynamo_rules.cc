#include "admission/dynamo/dynamo_rules.h"

namespace hearth::admission {

const std::vector<KindRules>& DynamoRules() {
  static const std::vector<KindRules> kRules;
  return kRules;
}

}  // namespace hearth::admission
