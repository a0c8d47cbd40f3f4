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

Status Malformed(std::string_view path, const internal::FieldPathReader& steps) {
  return InvalidError(fmt::format("field path \"{}\" is malformed at character {}: {}", path,
                                  steps.position(), steps.problem()));
}

void CollectPaths(const Node& node, FieldSet::Mark mark, const std::string& path,
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

std::vector<std::string> FieldSet::Paths(Mark mark) const {
  std::vector<std::string> paths;
  CollectPaths(*root_, mark, "", paths);
  return paths;
}

}  // namespace hearth::json
