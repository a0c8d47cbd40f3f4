#include <fmt/format.h>

#include "admission/grove/internal/part.h"
#include "admission/grove/internal/topology.h"
#include "admission/rules/reading.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr Rule kImmutableTopology{
    "topology-immutable",
    "Schedulers do not move a gang that is placed, so topologyConstraint stays as it was created. "
    "Restore it, or create a new set. Two repairs are allowed: packDomain may become the same "
    "pack.required, and a topologyName may be added to a constraint with packDomain that has "
    "none."};

struct Constraint {
  explicit Constraint(const json::Value& value)
      : there(!value.IsNull()),
        name(Text(value, "topologyName")),
        pack_domain(Text(value, "packDomain")),
        required(Text(Member(value, "pack"), "required")),
        preferred(Text(Member(value, "pack"), "preferred")) {}

  std::string_view Required() const { return required.empty() ? pack_domain : required; }
  friend bool operator==(const Constraint&, const Constraint&) = default;

  bool there;
  std::string_view name;
  std::string_view pack_domain;
  std::string_view required;
  std::string_view preferred;
};

// A constraint from before pack and topologyName was brought up to date.
bool IsRepair(const Constraint& before, const Constraint& now) {
  const bool named = now.name == before.name || before.name.empty();
  const bool same_domain = now.pack_domain == before.pack_domain
                               ? now.required == before.required
                               : now.pack_domain.empty() && !now.required.empty();
  return before.there && now.there && !before.pack_domain.empty() && named && same_domain &&
         now.Required() == before.Required() && now.preferred == before.preferred;
}

class Comparison {
 public:
  explicit Comparison(Findings& findings) : findings_(findings) {}

  void Compare(const json::Value& before_object, const json::Value& now_object,
               const FieldPath& path) {
    const json::Value& value = Member(now_object, "topologyConstraint");
    const Constraint before(Member(before_object, "topologyConstraint"));
    const Constraint now(value);
    const FieldPath constraint = path.Child("topologyConstraint");
    WarnAboutPackDomain(now, constraint);
    if (now == before) {
      return;
    }
    if (IsRepair(before, now)) {
      named_ = named_ || now.name != before.name;
      return;
    }
    const FieldPath name = constraint.Child("topologyName");
    const bool renamed = now.name != before.name;
    findings_.Add(kImmutableTopology,
                  schema::Forbidden(renamed ? name : constraint,
                                    renamed ? fmt::format("field is immutable: cannot be changed "
                                                          "from '{}' to '{}'",
                                                          before.name, now.name)
                                            : "field is immutable"));
  }

  bool named() const { return named_; }  // whether some constraint has got a topologyName

 private:
  void WarnAboutPackDomain(const Constraint& now, const FieldPath& path) {
    if (!now.pack_domain.empty()) {
      findings_.Warn(path.Child("packDomain"), "deprecated; use pack.required instead");
    }
  }

  Findings& findings_;
  bool named_ = false;
};

void Check(const SetOutline& set, const Request& request, Findings& findings) {
  const SetOutline old(*request.old);
  Comparison comparison(findings);
  comparison.Compare(old.set_template, set.set_template, kTemplatePath);
  for (size_t i = 0; i < set.groups.size(); ++i) {
    const auto before = old.group_of.find(set.groups[i].name);
    if (before != old.group_of.end()) {
      comparison.Compare(*old.groups[before->second].value, *set.groups[i].value,
                         kGroupsPath.Item(i));
    }
  }
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const auto before = old.clique_of.find(set.cliques[i].name);
    if (before != old.clique_of.end()) {
      comparison.Compare(*old.cliques[before->second].value, *set.cliques[i].value,
                         kCliquesPath.Item(i));
    }
  }
  if (comparison.named()) {
    CheckTopology(set, request.setup, findings);
  }
}

}  // namespace

Part TopologyUpdatePart() { return {Check, {&kImmutableTopology}}; }

}  // namespace hearth::admission::grove
