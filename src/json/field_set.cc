#include "json/field_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/internal/field_path.h"

namespace hearth::json {
namespace {

using Node = FieldSet::Node;

// The place of `name` among the members, or where it would stand.
template <typename Members>
auto Place(Members& members, std::string_view name) {
  return std::lower_bound(members.begin(), members.end(), name,
                          [](const auto& member, std::string_view wanted) {
                            return std::string_view(member.first) < wanted;
                          });
}

Node& MakeMember(Node& node, std::string_view name) {
  auto place = Place(node.members, name);
  if (place == node.members.end() || place->first != name) {
    place = node.members.emplace(place, std::string(name), std::make_unique<Node>());
  }
  return *place->second;
}

Node& MakeElement(Node& node) {
  if (node.element == nullptr) {
    node.element = std::make_unique<Node>();
  }
  return *node.element;
}

using Mark = FieldSet::Mark;

// What a node's mark comes to below one marked `above`.
Mark MarkOf(const Node& node, Mark above) { return node.mark == Mark::kInner ? above : node.mark; }

Mark Stronger(Mark a, Mark b) {
  for (const Mark mark : {Mark::kKept, Mark::kSilent}) {
    if (a == mark || b == mark) {
      return mark;
    }
  }
  return Mark::kDropped;
}

// What the nodes above came to: in the set that grows, in the one taken in, and in the result.
struct Above {
  Mark to = Mark::kDropped;
  Mark from = Mark::kDropped;
  Mark both = Mark::kDropped;
};

// A place that only one of the sets names counts in the other as its parent does.
void IncludeNode(Node& to, const Node& from, const Above& above) {
  static const Node kUnnamed;
  Above here{MarkOf(to, above.to), MarkOf(from, above.from)};
  here.both = Stronger(here.to, here.from);
  to.mark = here.both == above.both ? Mark::kInner : here.both;
  for (const auto& member : from.members) {
    MakeMember(to, member.first);
  }
  for (const auto& [name, member] : to.members) {
    const Node* other = from.Member(name);
    IncludeNode(*member, other == nullptr ? kUnnamed : *other, here);
  }
  if (from.element != nullptr) {
    MakeElement(to);
  }
  if (to.element != nullptr) {
    IncludeNode(*to.element, from.element == nullptr ? kUnnamed : *from.element, here);
  }
}

Status Malformed(std::string_view path, const internal::FieldPathReader& steps) {
  return InvalidError(fmt::format("field path \"{}\" is malformed at character {}: {}", path,
                                  steps.position(), steps.problem()));
}

void CollectPaths(const Node& node, Mark mark, const std::string& path,
                  std::vector<std::string>& out) {
  if (node.mark == mark && !path.empty()) {
    out.push_back(path);
  }
  if (node.element != nullptr) {
    CollectPaths(*node.element, mark, path + "[]", out);
  }
  for (const auto& [name, member] : node.members) {
    std::string member_path = path;
    internal::AppendMemberStep(member_path, name);
    CollectPaths(*member, mark, member_path, out);
  }
}

}  // namespace

const Node* FieldSet::Node::Member(std::string_view name) const {
  const auto place = Place(members, name);
  return place != members.end() && place->first == name ? place->second.get() : nullptr;
}

FieldSet::FieldSet() : root_(std::make_unique<Node>()) {}
FieldSet::FieldSet(FieldSet&&) noexcept = default;
FieldSet& FieldSet::operator=(FieldSet&&) noexcept = default;
FieldSet::~FieldSet() = default;

FieldSet FieldSet::Everything() {
  FieldSet everything;
  everything.root_->mark = Mark::kKept;
  return everything;
}

Status FieldSet::Add(std::string_view path, Mark mark) {
  if (mark == Mark::kInner) {
    return InvalidError(fmt::format("field path \"{}\" needs a mark of its own", path));
  }
  // Read to the end first, so that a malformed path leaves no trace.
  internal::FieldPathReader check(path);
  while (check.Next()) {
  }
  if (check.malformed()) {
    return Malformed(path, check);
  }
  Node* node = root_.get();
  for (internal::FieldPathReader steps(path); steps.Next();) {
    node = steps.is_element() ? &MakeElement(*node) : &MakeMember(*node, steps.name());
  }
  node->mark = mark;
  return Status::Ok();
}

void FieldSet::Include(const FieldSet& other) { IncludeNode(*root_, *other.root_, {}); }

std::vector<std::string> FieldSet::Paths(Mark mark) const {
  std::vector<std::string> paths;
  CollectPaths(*root_, mark, "", paths);
  return paths;
}

}  // namespace hearth::json
