#include "schema/internal/rule_walk.h"

#include <optional>

#include "schema/internal/correlate.h"
#include "schema/internal/same.h"

namespace hearth::schema::internal {
namespace {

using json::Value;

// The nearest value, at a place or above it, whose old value is known: what "unchanged" is asked
// of.
struct Known {
  const Schema& schema;
  const Value& now;
  const Value& old;
};

class Site final : public RuleSite {
 public:
  Site(const Node& node, const Value& self, const Value* old, const FieldPath& path,
       const std::optional<Known>& known)
      : RuleSite(node.schema, self, old, path, path.IsRoot() || node.schema.embedded_resource),
        known_(known) {}
  bool Unchanged() const override {
    return known_ && internal::Unchanged(known_->schema, known_->now, known_->old);
  }

 private:
  const std::optional<Known>& known_;
};

class Walk {
 public:
  Walk(RuleChecker& rules, ErrorList& errors) : rules_(rules), errors_(errors) {}

  void Visit(const Node& node, const Value& value, const Value* old, const FieldPath& path,
             const std::optional<Known>& above) {
    if (!node.has_rules || value.IsNull() || stopped_) {
      return;
    }
    std::optional<Known> known;
    if (old != nullptr) {
      known.emplace(Known{node.schema, value, *old});
    } else if (above) {
      known.emplace(*above);
    }
    // An old null is as good as none for a rule.
    const Value* old_self = old != nullptr && !old->IsNull() ? old : nullptr;
    if (!node.schema.rules.empty()) {
      stopped_ = !rules_.Check(Site(node, value, old_self, path, known), errors_);
    }
    if (value.IsArray() && node.items != nullptr) {
      VisitItems(node, value, old, path, known);
    } else if (value.IsObject()) {
      VisitMembers(node, value, old, path, known);
    }
  }

 private:
  void VisitItems(const Node& node, const Value& list, const Value* old, const FieldPath& path,
                  const std::optional<Known>& known) {
    const OldItems old_items(node.schema, old);
    for (size_t i = 0; i < list.items().size(); ++i) {
      const Value& item = list.items()[i];
      Visit(*node.items, item, old_items.Find(item), path.Item(i), known);
    }
  }

  void VisitMembers(const Node& node, const Value& object, const Value* old, const FieldPath& path,
                    const std::optional<Known>& known) {
    static const Value::Members kNone;
    const MemberIndex index(old != nullptr && old->IsObject() ? old->members() : kNone);
    for (const auto& [name, value] : object.members()) {
      const Node* property = node.Property(name);
      if (property != nullptr) {
        Visit(*property, value, index.Find(name), path.Child(name), known);
      } else if (node.additional != nullptr) {
        Visit(*node.additional, value, index.Find(name), path.Key(name), known);
      }
    }
  }

  RuleChecker& rules_;
  ErrorList& errors_;
  bool stopped_ = false;
};

}  // namespace

void WalkRules(const Node& root, const Value& object, const Value* old, RuleChecker& rules,
               ErrorList& errors) {
  Walk(rules, errors).Visit(root, object, old, FieldPath::Root(), std::nullopt);
}

}  // namespace hearth::schema::internal
