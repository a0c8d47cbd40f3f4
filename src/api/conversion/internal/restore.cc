#include "api/conversion/internal/restore.h"

#include <utility>

#include "base/seeded_hash.h"

namespace hearth::api::conversion::internal {
namespace {

using Edits = std::vector<const Edit*>;

class Restorer {
 public:
  Restorer(const Tree& converted, const Tree& live, const Mapping& back, Arena& arena)
      : converted_(converted), live_(live), back_(back), arena_(arena), restored_(converted) {}

  // All that can be made, or nothing; nothing once the arena is exhausted or has compared too much.
  bool Try(const Edits& edits) {
    if (arena_.GaveUp()) {
      return false;
    }
    const Tree candidate = Applied(restored_, edits, arena_);
    if (arena_.Exhausted()) {
      return false;  // not all that can be made may be in it
    }
    if (Tree::Same(candidate, restored_)) {
      return true;
    }
    const Tree said = back_(candidate, arena_);
    const Tree accepted = AsAccepted(said);
    if (!accepted.Exists()) {
      return false;
    }
    restored_ = candidate;
    said_ = accepted;
    return true;
  }

  Restored Take() { return {restored_, said_.Exists() ? said_ : SaidBefore()}; }

 private:
  // What was said when it may be, live_ itself when it is the same; nothing when it may not be.
  // Each is compared once: a list that a record replaced by its equal is read to its end every
  // time.
  Tree AsAccepted(const Tree& said) {
    // Once the first try failed, most that is tried changes little of what was said before.
    const bool before_first = said_before_.Exists();
    if (before_first && arena_.Equal(said, said_before_)) {
      return said;
    }
    if (arena_.Equal(said, live_)) {
      return live_;
    }
    return !before_first && arena_.Equal(said, SaidBefore()) ? said : Tree();
  }

  // Rarely needed: most objects are as they were.
  const Tree& SaidBefore() {
    if (!said_before_.Exists()) {
      said_before_ = back_(converted_, arena_);
    }
    return said_before_;
  }

  const Tree& converted_;
  const Tree& live_;
  const Mapping& back_;
  Arena& arena_;
  Tree said_before_;
  Tree restored_;
  Tree said_;  // of restored_, once there was an edit
};

// Edits of one kind after the other; all in the order they have: what puts items in order comes
// after what adds them.
std::vector<Edits> GroupedBy(const Edits& edits, std::string Topic::*name) {
  std::vector<Edits> groups;
  SeededMap<std::string, size_t> places;
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
                 const Mapping& back, Arena& arena) {
  Restorer restorer(converted, live, back, arena);
  Edits possible;
  for (const Edit& edit : edits) {
    if (Holds(converted, edit, arena)) {
      possible.push_back(&edit);
    }
  }
  if (restorer.Try(possible)) {
    return restorer.Take();
  }
  for (const Edits& of_component : GroupedBy(possible, &Topic::component)) {
    // What is the same as before fails as it did before.
    if (of_component.size() < possible.size() && restorer.Try(of_component)) {
      continue;
    }
    for (const Edits& of_matter : GroupedBy(of_component, &Topic::matter)) {
      if (of_matter.size() < of_component.size()) {
        static_cast<void>(restorer.Try(of_matter));
      }
    }
  }
  return restorer.Take();
}

}  // namespace hearth::api::conversion::internal
