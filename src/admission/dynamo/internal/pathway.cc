#include "admission/dynamo/internal/pathway.h"

#include <fmt/format.h>

#include "admission/rules/reading.h"
#include "api/dynamo/constants.h"
#include "base/strings.h"

namespace hearth::admission::dynamo {

Pathway PathwayOf(const json::Value& graph, const Setup& setup) {
  if (!setup.grove) {
    return {.grove = false,
            .requirement =
                "requires the Grove pathway, but Grove is disabled in the operator configuration"};
  }
  const std::string_view wish = Text(Annotation(graph, api::dynamo::kEnableGrove));
  if (EqualIgnoreCase(wish, "false")) {
    return {.grove = false,
            .requirement = fmt::format("requires the Grove pathway; remove or unset annotation "
                                       "\"{}\" (currently \"{}\")",
                                       api::dynamo::kEnableGrove, wish)};
  }
  return {};
}

}  // namespace hearth::admission::dynamo
