#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/conversion/internal/builder.h"
#include "base/result.h"

namespace hearth::api::conversion::internal {

// The way from the root to a place: names of members, and "name=worker" for an item of a list.
// Items are never counted: the list may have changed meanwhile.
using Steps = std::vector<std::string>;

// "/services/worker/envs/name=HOME", with ~ and / written as JSON pointers do.
std::string ToText(const Steps& steps);
Steps ToSteps(std::string_view text);

// What must hold of another place before an edit is made.
struct Condition {
  Steps at;
  // The digest of what stands there; empty: nothing may; absent: anything must.
  std::optional<std::string> digest;
};

// One difference between two trees.
struct Edit {
  enum class Kind {
    kAdd,      // where nothing is
    kReplace,  // what has the digest `was`
    kRemove,   // what has the digest `was`
    kOrder,    // the items of a list
  };
  Kind kind = Kind::kAdd;
  Steps at;
  Tree value;                      // kAdd, kReplace
  std::string was;                 // kReplace, kRemove
  std::string key;                 // kOrder: the member that names items
  std::vector<std::string> order;  // kOrder: these first
  bool make_parents = false;       // kAdd: objects on the way are made when missing
  std::optional<Condition> only_if;
};

// Says what stands in a tree, for comparing it later. Differs for different JSON.
std::string Digest(const Tree& tree);

// What turns `from` into `to`. Lists are compared by the names of their items where these are
// unique on both sides, otherwise as a whole. kInvalid: the ways to all the differences take more
// memory than those in any object that a server stores.
Result<std::vector<Edit>> Diff(const Tree& from, const Tree& to);

// The member or item one step leads to; nothing when it leads nowhere.
Tree Child(const Tree& parent, std::string_view step);
// Spends what it looks at.
Tree Child(const Tree& parent, std::string_view step, Arena& arena);
// What stands at a place; nothing when a step leads nowhere.
Tree At(const Tree& root, const Steps& steps);
// Whether the edit's condition holds. None does once the arena is exhausted.
bool Holds(const Tree& root, const Edit& edit, Arena& arena);
// The tree with all edits made, one after the other; those whose place is not what they expect are
// passed over, and so are all once the arena is exhausted. One and the same tree when none could be
// made. Edits must outlive the result.
Tree Applied(const Tree& root, const std::vector<const Edit*>& edits, Arena& arena);

}  // namespace hearth::api::conversion::internal
