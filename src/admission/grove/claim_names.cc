#include "admission/grove/claim_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/grove/internal/set_outline.h"
#include "admission/rules/reading.h"

namespace hearth::admission::grove {
namespace {

using Replicas = ClaimSource::Replicas;

Replicas ReplicasOf(const json::Value& object, std::string_view scaling) {
  const int64_t first =
      std::clamp(Integer(object, "replicas").value_or(1), int64_t{0}, kMaxClaimIndex);
  const int64_t most = Integer(Member(object, scaling), "maxReplicas").value_or(0);
  return {first, std::clamp(most, first, kMaxClaimIndex)};
}

using AllReplicas = std::array<Replicas, NamePattern::kMaxIndices>;
using Indices = std::array<int64_t, NamePattern::kMaxIndices>;

// An object that owns claims: the start of their names.
struct Owner {
  NamePattern name;
  AllReplicas replicas = {};

  void AddIndex(Replicas own) {
    replicas[name.indices()] = own;
    name.AddIndex();
  }
  Owner Child(Replicas own, std::string_view child) const {
    Owner owner = *this;
    owner.AddIndex(own);
    owner.name.Add(child);
    return owner;
  }
};

ClaimSource Source(const SharingEntry& entry, Owner owner, Replicas own) {
  if (Text(*entry.value, "scope") == "PerReplica") {
    owner.AddIndex(own);
  } else {
    owner.name.Add("all");
  }
  owner.name.Add(Text(*entry.value, "name"));
  return {entry, std::move(owner.name), owner.replicas};
}

void AddEntries(const json::Value& object, SharingEntry::Level level, size_t owner,
                std::vector<SharingEntry>& entries) {
  const json::Value::Items& list = Items(object, "resourceSharing");
  for (size_t i = 0; i < list.size(); ++i) {
    if (!Text(list[i], "name").empty()) {
      entries.push_back({level, owner, i, &list[i]});
    }
  }
}

// The next indices in the order of counting; false past the last ones.
bool Advance(Indices& indices, const ClaimSource& source) {
  for (size_t i = source.names.indices(); i-- > 0;) {
    if (++indices[i] < source.replicas[i].first) {
      return true;
    }
    indices[i] = 0;
  }
  return false;
}

}  // namespace

std::string SharingEntry::Place() const {
  switch (level) {
    case Level::kSet:
      return fmt::format("spec.template.resourceSharing[{}]", entry);
    case Level::kGroup:
      return fmt::format("spec.template.podCliqueScalingGroups[{}].resourceSharing[{}]", owner,
                         entry);
    case Level::kClique:
      return fmt::format("spec.template.cliques[{}].resourceSharing[{}]", owner, entry);
  }
  return "";
}

std::vector<SharingEntry> SharingEntries(const SetOutline& set) {
  std::vector<SharingEntry> entries;
  AddEntries(set.set_template, SharingEntry::Level::kSet, 0, entries);
  for (size_t i = 0; i < set.groups.size(); ++i) {
    AddEntries(*set.groups[i].value, SharingEntry::Level::kGroup, i, entries);
  }
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    AddEntries(*set.cliques[i].value, SharingEntry::Level::kClique, i, entries);
  }
  return entries;
}

std::vector<ClaimSource> ClaimSources(const SetOutline& set) {
  const Owner root{NamePattern(set.name)};
  const Replicas of_set = ReplicasOf(set.spec, "");
  std::vector<Owner> groups;
  std::vector<Replicas> of_groups;
  for (const SetOutline::Group& group : set.groups) {
    groups.push_back(root.Child(of_set, group.name));
    of_groups.push_back(ReplicasOf(*group.value, "scaleConfig"));
  }
  const auto clique_owner = [&](const SetOutline::Clique& clique) {
    return clique.group == SetOutline::kNone
               ? root.Child(of_set, clique.name)
               : groups[clique.group].Child(of_groups[clique.group], clique.name);
  };
  std::vector<ClaimSource> sources;
  for (const SharingEntry& entry : SharingEntries(set)) {
    switch (entry.level) {
      case SharingEntry::Level::kSet:
        sources.push_back(Source(entry, root, of_set));
        break;
      case SharingEntry::Level::kGroup:
        sources.push_back(Source(entry, groups[entry.owner], of_groups[entry.owner]));
        break;
      case SharingEntry::Level::kClique: {
        const SetOutline::Clique& clique = set.cliques[entry.owner];
        sources.push_back(
            Source(entry, clique_owner(clique), ReplicasOf(*clique.spec, "autoScalingConfig")));
        break;
      }
    }
  }
  return sources;
}

std::vector<std::string> ClaimNames(const json::Value& set, size_t limit) {
  std::vector<std::string> names;
  for (const ClaimSource& source : ClaimSources(SetOutline(set))) {
    const bool none = std::any_of(source.replicas.begin(), source.replicas.end(),
                                  [](const Replicas& replicas) { return replicas.first == 0; });
    Indices indices = {};
    for (bool more = !none; more && names.size() < limit; more = Advance(indices, source)) {
      names.push_back(source.names.At(indices));
    }
  }
  return names;
}

}  // namespace hearth::admission::grove
