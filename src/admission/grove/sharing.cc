#include <fmt/format.h>

#include "admission/grove/internal/part.h"
#include "admission/rules/reading.h"
#include "base/seeded_hash.h"
#include "schema/names.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr Rule kName{
    "sharing-name",
    "An entry makes claims from the template it names, and the name becomes part of theirs. Name a "
    "template, and each one once in a list; share one twice by giving the set a second template "
    "with the same content."};
constexpr Rule kNamespace{
    "sharing-namespace",
    "A namespace says that the template is an object of the cluster. Remove it where the set has a "
    "template of that name, or name another one. A name that no namespace can have would leave "
    "pods without their claims for ever."};
constexpr Rule kFilter{
    "sharing-filter-names",
    "A filter picks children of the object it stands in, cliques by childCliqueNames and scaling "
    "groups by childScalingGroupNames. A name that is neither would leave pods without their "
    "claims. Correct the name."};

void CheckNamespace(const SetOutline& set, const json::Value& entry, const FieldPath& item,
                    Findings& findings) {
  const json::Value& name_space = Member(entry, "namespace");
  const FieldPath path = item.Child("namespace");
  if (set.templates.contains(Text(entry, "name"))) {
    findings.Add(kNamespace, schema::Invalid(path, name_space,
                                             "namespace must be empty when name matches an "
                                             "internal resourceClaimTemplate"));
    return;
  }
  for (std::string& wrong : schema::CheckDns1123Label(name_space.string())) {
    findings.Add(kNamespace, schema::Invalid(path, name_space, std::move(wrong)));
  }
}

// What is the same at all levels. That scope is one of two words and stays as it is, the schema
// says.
void CheckEntries(const SetOutline& set, const json::Value& object, const FieldPath& path,
                  Findings& findings) {
  const json::Value::Items& entries = Items(object, "resourceSharing");
  SeededSet<std::string_view> seen;
  for (size_t i = 0; i < entries.size(); ++i) {
    const FieldPath item = path.Item(i);
    const json::Value& name = Member(entries[i], "name");
    if (name.IsString() && name.string().empty()) {
      findings.Add(kName, schema::Required(item.Child("name"), "reference name is required"));
      continue;
    }
    if (name.IsString() && !seen.insert(name.string()).second) {
      findings.Add(kName, schema::Duplicate(item.Child("name"), name));
    }
    if (!Text(entries[i], "namespace").empty()) {
      CheckNamespace(set, entries[i], item, findings);
    }
  }
}

// Every name of a list in a filter must be known. That a filter names something, the schema says.
template <typename Known>
void CheckFilter(const json::Value& entry, std::string_view list, const FieldPath& item,
                 const Known& known, Findings& findings) {
  const json::Value::Items& names = Items(Member(entry, "filter"), list);
  const FieldPath filter = item.Child("filter");
  const FieldPath path = filter.Child(list);
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].IsString() && !known.contains(names[i].string())) {
      findings.Add(kFilter, schema::NotFound(path.Item(i), names[i]));
    }
  }
}

void CheckSet(const SetOutline& set, Findings& findings) {
  const FieldPath path = kTemplatePath.Child("resourceSharing");
  CheckEntries(set, set.set_template, path, findings);
  const json::Value::Items& entries = Items(set.set_template, "resourceSharing");
  for (size_t i = 0; i < entries.size(); ++i) {
    CheckFilter(entries[i], "childCliqueNames", path.Item(i), set.clique_of, findings);
    CheckFilter(entries[i], "childScalingGroupNames", path.Item(i), set.group_of, findings);
  }
}

void CheckGroup(const SetOutline& set, size_t index, Findings& findings) {
  const json::Value& group = *set.groups[index].value;
  const FieldPath group_path = kGroupsPath.Item(index);
  const FieldPath path = group_path.Child("resourceSharing");
  CheckEntries(set, group, path, findings);
  SeededSet<std::string_view> members;
  for (const json::Value& member : Items(group, "cliqueNames")) {
    members.insert(Text(&member));
  }
  const json::Value::Items& entries = Items(group, "resourceSharing");
  for (size_t i = 0; i < entries.size(); ++i) {
    CheckFilter(entries[i], "childCliqueNames", path.Item(i), members, findings);
  }
}

void Check(const SetOutline& set, const Request& /*request*/, Findings& findings) {
  CheckSet(set, findings);
  for (size_t i = 0; i < set.groups.size(); ++i) {
    CheckGroup(set, i, findings);
  }
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const FieldPath clique = kCliquesPath.Item(i);
    CheckEntries(set, *set.cliques[i].value, clique.Child("resourceSharing"), findings);
  }
}

}  // namespace

Part SharingPart() { return {Check, {&kName, &kNamespace, &kFilter}}; }

}  // namespace hearth::admission::grove
