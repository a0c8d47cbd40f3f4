#include "api/conversion/internal/restore.h"

#include <map>
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

using ByMatter = std::map<std::string, Edits>;

std::map<std::string, ByMatter> Grouped(const Edits& edits) {
  std::map<std::string, ByMatter> groups;
  for (const Edit* edit : edits) {
    Topic topic = TopicOf(edit->at);
    groups[std::move(topic.component)][std::move(topic.matter)].push_back(edit);
  }
  return groups;
}

Edits Together(const ByMatter& matters) {
  Edits all;
  for (const auto& [name, edits] : matters) {
    all.insert(all.end(), edits.begin(), edits.end());
  }
  return all;
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
  for (const auto& [component, matters] : Grouped(possible)) {
    if (!restorer.Try(Together(matters))) {
      for (const auto& [matter, some] : matters) {
        static_cast<void>(restorer.Try(some));
      }
    }
  }
  return restorer.Take();
}

}  // namespace hearth::api::conversion::internal
