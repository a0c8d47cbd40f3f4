#include <fmt/format.h>

#include "admission/grove/internal/part.h"
#include "admission/grove/name_pattern.h"
#include "admission/rules/reading.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr Rule kUniqueName{
    "object-names-unique",
    "PodCliques and autoscalers are named after the set, the scaling group, indices and the "
    "clique. Two of a kind with the same name cannot exist, so one of them would never come up. "
    "Rename the clique or the group."};

// An object that is made for a clique or a group, and by what name.
struct Made {
  NamePattern name;
  const char* kind;
  bool of_group;
  size_t index;

  std::string Place() const {
    return fmt::format("spec.template.{}[{}]", of_group ? "podCliqueScalingGroups" : "cliques",
                       index);
  }
};

NamePattern InReplica(const SetOutline& set, std::string_view name) {
  NamePattern pattern(set.name);
  pattern.AddIndex().Add(name);
  return pattern;
}

std::vector<Made> PodCliques(const SetOutline& set) {
  std::vector<Made> made;
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const SetOutline::Clique& clique = set.cliques[i];
    NamePattern name =
        InReplica(set, set.Standalone(i) ? clique.name : set.groups[clique.group].name);
    if (!set.Standalone(i)) {
      name.AddIndex().Add(clique.name);
    }
    made.push_back({std::move(name), "PodCliques", false, i});
  }
  return made;
}

std::vector<Made> Autoscalers(const SetOutline& set) {
  std::vector<Made> made;
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    if (set.Standalone(i) && Has(*set.cliques[i].spec, "autoScalingConfig")) {
      made.push_back({InReplica(set, set.cliques[i].name), "autoscalers", false, i});
    }
  }
  for (size_t i = 0; i < set.groups.size(); ++i) {
    if (Has(*set.groups[i].value, "scaleConfig")) {
      made.push_back({InReplica(set, set.groups[i].name), "autoscalers", true, i});
    }
  }
  return made;
}

std::string_view NameOf(const SetOutline& set, const Made& made) {
  return made.of_group ? set.groups[made.index].name : set.cliques[made.index].name;
}

void CheckUnique(const SetOutline& set, const std::vector<Made>& made, Findings& findings) {
  std::vector<const NamePattern*> patterns;
  patterns.reserve(made.size());
  for (const Made& one : made) {
    patterns.push_back(&one.name);
  }
  for (const auto& [first, second] : FindOverlaps(patterns)) {
    const Made& other = made[first];
    const Made& one = made[second];
    if (one.of_group == other.of_group && NameOf(set, one) == NameOf(set, other)) {
      continue;  // a name that stands twice is told as such
    }
    const std::string place = one.Place();
    const FieldPath item = FieldPath::Base(place);
    findings.Add(kUniqueName,
                 schema::Invalid(item.Child("name"), NameOf(set, one),
                                 fmt::format("its {} would be named '{}', and so "
                                             "would those of {}",
                                             one.kind, one.name.ToString(), other.Place())));
  }
}

void Check(const SetOutline& set, const Request& /*request*/, Findings& findings) {
  CheckUnique(set, PodCliques(set), findings);
  CheckUnique(set, Autoscalers(set), findings);
}

}  // namespace

Part ObjectNamesPart() { return {Check, {&kUniqueName}, Part::When::kFresh}; }

}  // namespace hearth::admission::grove
