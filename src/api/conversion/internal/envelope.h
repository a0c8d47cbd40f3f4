#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/conversion/internal/edit.h"
#include "api/conversion/internal/fit.h"

// How edits are kept in an annotation: {version: 1, spec: <what is added>, rawJSON: <the rest>}.
// docs/conversion.md tells the details.
namespace hearth::api::conversion::internal {

// A text that is longer is not read: no stored object has one.
inline constexpr size_t kMostEnvelopeBytes = kMostAnnotationBytes;

// `part` names the member that holds what is added: spec or status. `whole` is the tree that the
// edits lead to.
std::string WriteEnvelope(const std::vector<Edit>& edits, const std::string& part,
                          const Tree& whole);

// The edits an annotation asks for, given the tree they are for. Foreign bytes: what cannot be read
// is left out. A spec without an envelope counts as one that is to be added where it is missing.
std::vector<Edit> ReadEnvelope(std::string_view text, const std::string& part, const Tree& tree,
                               Arena& arena);

}  // namespace hearth::api::conversion::internal
