#include "admission/grove/grove_rules.h"

namespace hearth::admission {

const std::vector<KindRules>& GroveRules() {
  static const std::vector<KindRules> kRules;
  return kRules;
}

}  // namespace hearth::admission
