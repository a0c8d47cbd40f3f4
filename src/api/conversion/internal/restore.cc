#include "api/conversion/internal/restore.h"

#include <unordered_map>
#include <utility>

namespace hearth::api::conversion::internal {
namespace {

using Edits = std::vector<const Edit*>;

// Makes what can be made of the edits; false when nothing could.
bool ApplyAll(Tree& tree, const Edits& edits) {
  bool any = false;
  for (const Edit* edit : edits) {
    any = Apply(tree, *edit) || any;
  }
  return any;
}

class Restorer {
 public:
  Restorer(const Tree& converted, const Tree& live, const Mapping& back)
      : live_(live), back_(back), said_(back(converted)), result_{converted, said_} {}

  // All or nothing.
  bool Try(const Edits& edits) {
    Tree candidate = result_.tree;
    if (!ApplyAll(candidate, edits)) {
      return true;
    }
    Tree said = back_(candidate);
    if (!(said == live_) && !(said == said_)) {
      return false;
    }
    result_ = {std::move(candidate), std::move(said)};
    return true;
  }

  Restored Take() { return std::move(result_); }

 private:
  const Tree& live_;
  const Mapping& back_;
  Tree said_;
  Restored result_;
};

// Edits of one kind after the other; all in the order they have: what puts items in order comes
// after what adds them.
std::vector<Edits> GroupedBy(const Edits& edits, std::string Topic::*name) {
  std::vector<Edits> groups;
  std::unordered_map<std::string, size_t> places;
  for (const Edit* edit : edits) {
    const size_t place = places.emplace(TopicOf(edit->at).*name, groups.size()).first->second;
    if (place == groups.size()) {
      groups.emplace_back();
    }
    groups[place].push_back(edit);
  }
  return groups;
}

}  // namespace

Restored Restore(const Tree& converted, const std::vector<Edit>& edits, const Tree& live,
                 const Mapping& back) {
  Restorer restorer(converted, live, back);
  Edits possible;
  for (const Edit& edit : edits) {
    if (Holds(converted, edit)) {
      possible.push_back(&edit);
    }
  }
  if (restorer.Try(possible)) {
    return restorer.Take();
  }
  for (const Edits& of_component : GroupedBy(possible, &Topic::component)) {
    if (!restorer.Try(of_component)) {
      for (const Edits& of_matter : GroupedBy(of_component, &Topic::matter)) {
        static_cast<void>(restorer.Try(of_matter));
      }
    }
  }
  return restorer.Take();
}

}  // namespace hearth::api::conversion::internal
