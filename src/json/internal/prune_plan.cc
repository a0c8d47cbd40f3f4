#include "json/internal/prune_plan.h"

#include <algorithm>

namespace hearth::json::internal {
namespace {

using Action = PlanNode::Action;
using Mark = FieldSet::Mark;

constexpr std::string_view kMetadata = "metadata";

constexpr struct {
  std::string_view name;
  Extract extract;
} kExtracts[] = {
    {"name", Extract::kName},
    {"namespace", Extract::kNamespace},
    {"uid", Extract::kUid},
    {"resourceVersion", Extract::kResourceVersion},
    {"generation", Extract::kGeneration},
    {"deletionTimestamp", Extract::kDeletion},
};

// They change with every write, whatever was written.
constexpr std::string_view kNeverCount[] = {"resourceVersion", "generation", "managedFields"};

uint64_t LengthBit(std::string_view name) { return uint64_t{1} << (name.size() % 64); }

void Mute(PlanNode& node) {
  if (node.mark == Mark::kKept) {
    node.mark = Mark::kSilent;
  }
  for (const PlanNode::Named& member : node.members) {
    Mute(*member.node);
  }
  if (node.element != nullptr) {
    Mute(*node.element);
  }
}

bool HasNodesBelow(const PlanNode& node) {
  return !node.members.empty() || node.element != nullptr;
}

// Whether a node that shows nothing must be read all the same.
bool HasExtracts(const PlanNode& node) {
  return std::any_of(node.members.begin(), node.members.end(), [](const PlanNode::Named& member) {
    return member.node->extract != Extract::kNone || HasExtracts(*member.node);
  });
}

}  // namespace

const PlanNode& PlanNode::Member(std::string_view name) const {
  if ((lengths & LengthBit(name)) == 0) {
    return *others;
  }
  for (const Named& member : members) {
    if (member.name == name) {
      return *member.node;
    }
  }
  return *others;
}

PrunePlan::PrunePlan(const FieldSet& fields) {
  copy_.action = copy_silently_.action = Action::kCopy;
  copy_.emit = copy_silently_.emit = true;
  copy_silently_.silent = true;
  root_ = Copy(fields.root(), Mark::kDropped);
  AddMetadata();
  Measure(*root_);
  root_->emit = true;  // there is always a value, if an empty one
  Decide(*root_, false);
}

PlanNode* PrunePlan::Copy(const FieldSet::Node& node, Mark inherited) {
  PlanNode& plan = nodes_.emplace_back();
  plan.mark = node.mark == Mark::kInner ? inherited : node.mark;
  for (const auto& [name, member] : node.members) {
    plan.members.push_back({name, Copy(*member, plan.mark)});
    plan.lengths |= LengthBit(name);
  }
  if (node.element != nullptr) {
    plan.element = Copy(*node.element, plan.mark);
  }
  return &plan;
}

PlanNode& PrunePlan::MakeMember(PlanNode& node, std::string_view name) {
  for (const PlanNode::Named& member : node.members) {
    if (member.name == name) {
      return *member.node;
    }
  }
  PlanNode& made = nodes_.emplace_back();
  made.mark = node.mark;
  node.members.push_back({std::string(name), &made});
  node.lengths |= LengthBit(name);
  return made;
}

void PrunePlan::AddMetadata() {
  PlanNode& metadata = MakeMember(*root_, kMetadata);
  for (const auto& [name, extract] : kExtracts) {
    MakeMember(metadata, name).extract = extract;
  }
  for (const std::string_view name : kNeverCount) {
    Mute(MakeMember(metadata, name));
  }
}

// From the leaves up: what appears, what counts.
void PrunePlan::Measure(PlanNode& node) {
  node.emit = node.mark != Mark::kDropped;
  node.counts = node.mark == Mark::kKept;
  const auto add = [&](PlanNode& below) {
    Measure(below);
    node.emit |= below.emit;
    node.counts |= below.counts;
  };
  for (const PlanNode::Named& member : node.members) {
    add(*member.node);
  }
  if (node.element != nullptr) {
    add(*node.element);
  }
}

const PlanNode* PrunePlan::Others(Mark mark, bool inside_silent) const {
  if (mark == Mark::kDropped) {
    return &skip_;
  }
  return mark == Mark::kSilent && !inside_silent ? &copy_silently_ : &copy_;
}

// From the root down: what to do.
void PrunePlan::Decide(PlanNode& node, bool inside_silent) {
  node.silent = node.emit && !node.counts && !inside_silent;
  const bool silent_below = inside_silent || node.silent;
  node.shell = node.mark == Mark::kDropped;
  node.others = Others(node.mark, silent_below);
  if (!node.emit && !HasExtracts(node)) {
    node.action = Action::kSkip;
  } else {
    node.action = HasNodesBelow(node) ? Action::kDescend : Action::kCopy;
  }
  for (const PlanNode::Named& member : node.members) {
    Decide(*member.node, silent_below);
  }
  if (node.element != nullptr) {
    Decide(*node.element, silent_below);
  }
}

}  // namespace hearth::json::internal
