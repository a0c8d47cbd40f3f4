#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "json/field_set.h"

namespace hearth::json::internal {

// Members of metadata that Pruner tells beside the text.
enum class Extract { kNone, kName, kNamespace, kUid, kResourceVersion, kGeneration, kDeletion };

// What to do with one value, worked out from a FieldSet beforehand so that pruning decides nothing
// twice.
struct PlanNode {
  enum class Action {
    kSkip,     // not looked into
    kCopy,     // taken whole
    kDescend,  // its members and elements have nodes of their own
  };

  Action action = Action::kSkip;
  bool emit = false;    // appears in the output
  bool silent = false;  // nothing in it counts, and something around it does
  bool shell = false;   // only what is named below it is kept: a scalar here is left out
  Extract extract = Extract::kNone;

  const PlanNode& Member(std::string_view name) const;
  const PlanNode& Element() const { return element != nullptr ? *element : *others; }

  FieldSet::Mark mark = FieldSet::Mark::kDropped;  // kKept, kSilent or kDropped
  struct Named {
    std::string name;
    PlanNode* node;
  };
  std::vector<Named> members;
  uint64_t lengths = 0;              // bit n: some member's name has n bytes (n modulo 64)
  PlanNode* element = nullptr;       // null: as others
  const PlanNode* others = nullptr;  // members that are not named
  bool counts = false;               // something in it makes a change
};

// Knows besides the FieldSet: where the extracts are, and that resourceVersion, generation and
// managedFields never count. Borrows nothing; immutable. Not movable, nodes point at each other.
class PrunePlan {
 public:
  explicit PrunePlan(const FieldSet& fields);
  PrunePlan(const PrunePlan&) = delete;
  PrunePlan& operator=(const PrunePlan&) = delete;

  const PlanNode& root() const { return *root_; }

 private:
  PlanNode* Copy(const FieldSet::Node& node, FieldSet::Mark inherited);
  PlanNode& MakeMember(PlanNode& node, std::string_view name);
  void AddMetadata();
  void Measure(PlanNode& node);
  void Decide(PlanNode& node, bool inside_silent);
  const PlanNode* Others(FieldSet::Mark mark, bool inside_silent) const;

  std::deque<PlanNode> nodes_;
  PlanNode skip_;
  PlanNode copy_;
  PlanNode copy_silently_;
  PlanNode* root_ = nullptr;
};

}  // namespace hearth::json::internal
