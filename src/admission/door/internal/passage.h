#pragma once

#include "admission/door/door.h"
#include "admission/rules/kind_rules.h"
#include "api/catalog/catalog.h"

namespace hearth::admission::internal {

// The way of one object of `kind` through the server: read it, fill in what is left out, check
// metadata and schema, and ask the rules (null: there are none) when the schema leaves a sensible
// object to ask about. Name and status are settled first, though a server does it between the
// webhooks, so that the converted object needs no second look. Errors as Admit has them.
Result<Admitted> Pass(const api::CheckedKind& kind, const KindRules* rules, json::Value object,
                      const Request& request);

}  // namespace hearth::admission::internal
