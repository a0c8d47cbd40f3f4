#include <fmt/format.h>

#include "admission/grove/internal/mnnvl.h"
#include "admission/grove/internal/part.h"
#include "admission/grove/internal/words.h"
#include "admission/rules/reading.h"
#include "base/seeded_hash.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr Rule kCliqueComposition{
    "clique-composition-fixed",
    "The cliques of a set are what gangs are made of and cannot come, go or be renamed while it "
    "runs. Restore the list, or create a new set."};
constexpr Rule kCliqueOrder{
    "clique-order-fixed",
    "Pods that run know the start order they were created with. Restore the order of the cliques, "
    "or create a new set."};
constexpr Rule kCliqueField{
    "clique-field-immutable",
    "roleName, minAvailable, startsAfter and schedulerName are part of gangs and pods that exist. "
    "Restore the value, or create a new set."};
constexpr Rule kGroupComposition{
    "group-composition-fixed",
    "The scaling groups of a set cannot come, go or be renamed while it runs. Restore the list, or "
    "create a new set."};
constexpr Rule kGroupField{
    "group-field-immutable",
    "cliqueNames and minAvailable of a scaling group are part of gangs that exist. Restore the "
    "value, or create a new set."};
constexpr Rule kStartupType{
    "startup-type-immutable",
    "Pods that run know the start order they were created with. Restore cliqueStartupType, or "
    "create a new set."};
constexpr Rule kMnnvlImmutable{
    "mnnvl-group-immutable",
    "Pods that run are in the NVLink domain they were created in. Restore the annotation, or "
    "create a new set."};

// Absent, null and empty are one thing, as they are for clients written in Go.
bool IsNothing(const json::Value& value) {
  return value.IsNull() || (value.IsString() && value.string().empty()) ||
         (value.IsArray() && value.items().empty());
}

bool Same(const json::Value& a, const json::Value& b) {
  return (IsNothing(a) && IsNothing(b)) || a == b;
}

void CheckSame(const Rule& rule, const json::Value& before, const json::Value& now,
               std::string_view member, const FieldPath& path, Findings& findings) {
  const auto number = Integer(now, member);
  if (!Same(Member(before, member), Member(now, member)) &&
      !(number.has_value() && number == Integer(before, member))) {
    findings.Add(rule, schema::Invalid(path.Child(member), Member(now, member), kImmutable));
  }
}

void CheckMnnvl(const json::Value& before, const json::Value& now, const FieldPath& path,
                Findings& findings) {
  const json::Value& group = Member(Member(now, "annotations"), kMnnvlGroup);
  if (!(Member(Member(before, "annotations"), kMnnvlGroup) == group)) {
    const FieldPath annotations = path.Child("annotations");
    findings.Add(kMnnvlImmutable, schema::Invalid(annotations.Key(kMnnvlGroup), group, kImmutable));
  }
}

void CheckClique(const SetOutline::Clique& before, const SetOutline::Clique& now, size_t index,
                 Findings& findings) {
  const FieldPath item = kCliquesPath.Item(index);
  const FieldPath spec = item.Child("spec");
  for (const char* member : {"roleName", "minAvailable", "startsAfter"}) {
    CheckSame(kCliqueField, *before.spec, *now.spec, member, spec, findings);
  }
  CheckSame(kCliqueField, Member(*before.spec, "podSpec"), Member(*now.spec, "podSpec"),
            "schedulerName", spec.Child("podSpec"), findings);
  CheckMnnvl(*before.value, *now.value, item, findings);
}

// Whether the list holds what it held before; told otherwise, each newcomer at its place.
template <typename Item>
bool CheckComposition(const Rule& rule, const std::vector<Item>& before,
                      const SeededMap<std::string_view, size_t>& before_of,
                      const std::vector<Item>& now, const FieldPath& path, std::string_view changed,
                      std::string_view counted, Findings& findings) {
  bool same = before.size() == now.size();
  if (!same) {
    findings.Add(rule, schema::Forbidden(path, fmt::format("{}: there were {} and are {}", counted,
                                                           before.size(), now.size())));
  }
  for (size_t i = 0; i < now.size(); ++i) {
    if (!before_of.contains(now[i].name)) {
      const FieldPath item = path.Item(i);
      findings.Add(rule, schema::Forbidden(item.Child("name"),
                                           fmt::format("{}: '{}' is new", changed, now[i].name)));
      same = false;
    }
  }
  return same;
}

void CheckOrder(const SetOutline& old, const SetOutline& set, Findings& findings) {
  if (set.startup_type != "CliqueStartupTypeInOrder" &&
      set.startup_type != "CliqueStartupTypeExplicit") {
    return;
  }
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    if (old.cliques[i].name != set.cliques[i].name) {
      const FieldPath item = kCliquesPath.Item(i);
      findings.Add(kCliqueOrder,
                   schema::Invalid(item.Child("name"), set.cliques[i].name,
                                   fmt::format("clique order cannot be changed when StartupType is "
                                               "InOrder or Explicit: '{}' was here",
                                               old.cliques[i].name)));
    }
  }
}

void CheckCliques(const SetOutline& old, const SetOutline& set, Findings& findings) {
  constexpr std::string_view kChanged = "not allowed to change clique composition";
  if (CheckComposition(kCliqueComposition, old.cliques, old.clique_of, set.cliques, kCliquesPath,
                       kChanged, kChanged, findings)) {
    CheckOrder(old, set, findings);
  }
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const auto before = old.clique_of.find(set.cliques[i].name);
    if (before != old.clique_of.end()) {
      CheckClique(old.cliques[before->second], set.cliques[i], i, findings);
    }
  }
}

// That resourceSharing stays, the schema says, here and for cliques and the set.
void CheckGroups(const SetOutline& old, const SetOutline& set, Findings& findings) {
  CheckComposition(kGroupComposition, old.groups, old.group_of, set.groups, kGroupsPath,
                   "not allowed to change scaling group composition",
                   "not allowed to add or remove PodCliqueScalingGroups", findings);
  for (size_t i = 0; i < set.groups.size(); ++i) {
    const auto before = old.group_of.find(set.groups[i].name);
    if (before == old.group_of.end()) {
      continue;
    }
    const FieldPath item = kGroupsPath.Item(i);
    const json::Value& was = *old.groups[before->second].value;
    CheckSame(kGroupField, was, *set.groups[i].value, "cliqueNames", item, findings);
    CheckSame(kGroupField, was, *set.groups[i].value, "minAvailable", item, findings);
    CheckMnnvl(was, *set.groups[i].value, item, findings);
  }
}

void Check(const SetOutline& set, const Request& request, Findings& findings) {
  const SetOutline old(*request.old);
  CheckCliques(old, set, findings);
  CheckGroups(old, set, findings);
  CheckSame(kStartupType, old.set_template, set.set_template, "cliqueStartupType", kTemplatePath,
            findings);
  CheckMnnvl(Member(old.object, "metadata"), Member(set.object, "metadata"), kMetadataPath,
             findings);
}

}  // namespace

Part UpdatePart() {
  return {Check,
          {&kCliqueComposition, &kCliqueOrder, &kCliqueField, &kGroupComposition, &kGroupField,
           &kStartupType, &kMnnvlImmutable}};
}

}  // namespace hearth::admission::grove
