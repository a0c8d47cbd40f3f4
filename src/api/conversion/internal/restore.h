#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/conversion/internal/edit.h"

namespace hearth::api::conversion::internal {

// From one version to the other.
using Mapping = std::function<Tree(const Tree&, Arena&)>;

struct Restored {
  Tree tree;
  Tree said;  // the tree mapped back; `live` itself when it is the same
};

// The converted tree with what was saved put back. What stands in `live`, the tree that was
// converted, always wins: an edit is made only when the result, mapped back, still says what `live`
// says, or what `live` says as far as the other version can tell. So a saved value never brings
// back what was deleted, nor hides what was changed. Edits that belong together (the same variable
// kept here and there) are made together or not at all; the others do not depend on each other.
// Once the arena has given up, what is still untried is not put back: whoever calls must ask it.
// The edits must outlive the result.
Restored Restore(const Tree& converted, const std::vector<Edit>& edits, const Tree& live,
                 const Mapping& back, Arena& arena);

// What an edit is about, as two names: the component, and the matter within it.
struct Topic {
  std::string component;
  std::string matter;
};
Topic TopicOf(const Steps& steps);

}  // namespace hearth::api::conversion::internal
