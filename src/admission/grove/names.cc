#include <fmt/format.h>

#include "admission/grove/internal/part.h"
#include "admission/grove/internal/words.h"
#include "admission/rules/reading.h"
#include "base/seeded_hash.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

// What a pod's name can spare for the names of users, beside indices, dashes and random characters.
constexpr size_t kMaxCombined = 45;

constexpr Rule kCliqueName{
    "clique-name",
    "The name of a clique becomes part of the names of its PodCliques and pods, which must be DNS "
    "names. Use lower case letters, digits, '-' and '.'."};
constexpr Rule kGroupName{
    "group-name",
    "The name of a scaling group becomes part of the names of its PodCliqueScalingGroups and pods, "
    "which must be DNS names and tell groups apart. Use lower case letters, digits, '-' and '.', "
    "and each name once."};
constexpr Rule kHostname{
    "names-as-hostnames",
    "Services are named after the set, and pods have hostnames that are made of the names of set, "
    "scaling group and clique. Neither may contain dots, and a Service begins with a letter, so "
    "the pods of such a set could never be made. Use letters, digits and '-'."};
constexpr Rule kRoleName{
    "clique-role-unique",
    "Pods are told apart by their roles, so two cliques cannot have the same roleName. Give each "
    "clique a role of its own."};
constexpr Rule kCombinedLength{
    "combined-name-length",
    "Pod names are made of the names of the set, the scaling group and the clique, and must fit "
    "into 63 characters together with their indices. Keep the names at 45 characters together."};

void CheckCliqueName(const SetOutline::Clique& clique, const FieldPath& path, Findings& findings) {
  const json::Value& name = Member(*clique.value, "name");
  if (name.IsString() && clique.name.empty()) {
    findings.Add(kCliqueName, schema::Required(path, "field cannot be empty"));
  } else {
    CheckSubdomain(kCliqueName, path, name, findings);
  }
}

void CheckHostname(const FieldPath& path, std::string_view name, Findings& findings) {
  if (name.find('.') != std::string_view::npos) {
    findings.Add(kHostname, schema::Invalid(path, name, "must not contain dots"));
  }
}

// What is made of the names must be names as well: of the Service of a replica, "<set>-<i>", and of
// pods in the network, "<set>-<i>-<clique>-<index>". That they are short enough is checked anyhow.
void CheckHostnames(const SetOutline& set, const Request& /*request*/, Findings& findings) {
  const FieldPath name = kMetadataPath.Child("name");
  CheckHostname(name, set.name, findings);
  if (!set.name.empty() && set.name[0] >= '0' && set.name[0] <= '9') {
    findings.Add(kHostname, schema::Invalid(name, set.name, "must begin with a letter"));
  }
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const FieldPath item = kCliquesPath.Item(i);
    CheckHostname(item.Child("name"), set.cliques[i].name, findings);
  }
  for (size_t i = 0; i < set.groups.size(); ++i) {
    const FieldPath item = kGroupsPath.Item(i);
    CheckHostname(item.Child("name"), set.groups[i].name, findings);
  }
}

void CheckGroupNames(const SetOutline& set, Findings& findings) {
  for (size_t i = 0; i < set.groups.size(); ++i) {
    const FieldPath item = kGroupsPath.Item(i);
    const FieldPath path = item.Child("name");
    const json::Value& name = Member(*set.groups[i].value, "name");
    if (name.IsString() && set.groups[i].name.empty()) {
      findings.Add(kGroupName, schema::Required(path, "field cannot be empty"));
    } else {
      CheckSubdomain(kGroupName, path, name, findings);
    }
    if (name.IsString() && set.group_of.at(set.groups[i].name) != i) {
      findings.Add(kGroupName, schema::Duplicate(path, name));
    }
  }
}

void CheckRoles(const SetOutline& set, Findings& findings) {
  SeededSet<std::string_view> seen;
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const json::Value& role = Member(*set.cliques[i].spec, "roleName");
    if (role.IsString() && !seen.insert(role.string()).second) {
      const FieldPath clique = kCliquesPath.Item(i);
      findings.Add(kRoleName, schema::Duplicate(clique.Child("spec").Child("roleName"), role));
    }
  }
}

// Names of the set, the group if any, and the clique are too long together. The set's name is told
// once, however many cliques there are.
class LengthCheck {
 public:
  LengthCheck(const SetOutline& set, Findings& findings) : set_(set), findings_(findings) {}

  void Check(size_t i) {
    const SetOutline::Clique& clique = set_.cliques[i];
    const std::string_view group = set_.Standalone(i) ? "" : set_.groups[clique.group].name;
    const size_t length = set_.name.size() + group.size() + clique.name.size();
    if (length <= kMaxCombined) {
      return;
    }
    const std::string detail = Detail(group, clique.name, length);
    const FieldPath item = kCliquesPath.Item(i);
    Tell(item.Child("name"), clique.name, detail);
    if (!set_.Standalone(i) && told_groups_.insert(clique.group).second) {
      const FieldPath group_item = kGroupsPath.Item(clique.group);
      Tell(group_item.Child("name"), group, detail);
    }
    if (!told_set_) {
      told_set_ = true;
      Tell(kMetadataPath.Child("name"), set_.name, detail);
    }
  }

 private:
  std::string Detail(std::string_view group, std::string_view clique, size_t length) const {
    const std::string names =
        group.empty()
            ? fmt::format("PodCliqueSet '{}' or PodClique '{}'", set_.name, clique)
            : fmt::format("PodCliqueSet '{}', PodCliqueScalingGroup '{}' or PodClique '{}'",
                          set_.name, group, clique);
    return fmt::format(
        "combined resource name length {} exceeds the {} characters that fit into "
        "pod names: shorten {}",
        length, kMaxCombined, names);
  }

  void Tell(const FieldPath& path, std::string_view value, const std::string& detail) {
    findings_.Add(kCombinedLength, schema::Invalid(path, value, detail));
  }

  const SetOutline& set_;
  Findings& findings_;
  std::unordered_set<size_t> told_groups_;
  bool told_set_ = false;
};

void Check(const SetOutline& set, const Request& /*request*/, Findings& findings) {
  LengthCheck length(set, findings);
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const FieldPath item = kCliquesPath.Item(i);
    CheckCliqueName(set.cliques[i], item.Child("name"), findings);
    length.Check(i);
  }
  CheckGroupNames(set, findings);
  CheckRoles(set, findings);
}

}  // namespace

Part NamesPart() { return {Check, {&kCliqueName, &kGroupName, &kRoleName, &kCombinedLength}}; }

Part HostnamesPart() { return {CheckHostnames, {&kHostname}, Part::When::kFresh}; }

}  // namespace hearth::admission::grove
