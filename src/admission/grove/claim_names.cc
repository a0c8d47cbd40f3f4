#include "admission/grove/claim_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/grove/internal/part.h"
#include "admission/grove/internal/reading.h"
#include "schema/names.h"

namespace hearth::admission::grove {
namespace {

constexpr int64_t kMaxIndex = 2147483646;
constexpr size_t kMaxLabel = 63;

constexpr Rule kValidName{
    "claim-name-valid",
    "A claim is named after the object that owns it, an index and its template, and must have a "
    "DNS name of at most 253 characters whatever the index. Shorten or correct the name of the "
    "template."};
constexpr Rule kUniqueName{
    "claim-names-unique",
    "Two entries would make claims of the same name, so that one of them never gets its own and "
    "its pods never start. Rename a template, a clique or a scaling group."};

using Replicas = ClaimSource::Replicas;

Replicas ReplicasOf(const json::Value& object, std::string_view scaling) {
  const int64_t first = std::clamp(Number(object, "replicas").value_or(1), int64_t{0}, kMaxIndex);
  const int64_t most = Number(Member(object, scaling), "maxReplicas").value_or(0);
  return {first, std::clamp(most, first, kMaxIndex)};
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
  const json::Value::Items& list = List(object, "resourceSharing");
  for (size_t i = 0; i < list.size(); ++i) {
    if (!Text(list[i], "name").empty()) {
      entries.push_back({level, owner, i, &list[i]});
    }
  }
}

bool IsSubdomain(std::string_view name) { return schema::CheckDns1123Subdomain(name).empty(); }

std::string NamePath(const SharingEntry& source) { return source.Place() + ".name"; }

// Names that are wrong on their own are told elsewhere.
bool OwnerIsNamed(const SetOutline& set, const SharingEntry& entry) {
  switch (entry.level) {
    case SharingEntry::Level::kSet:
      return true;
    case SharingEntry::Level::kGroup:
      return IsSubdomain(set.groups[entry.owner].name);
    case SharingEntry::Level::kClique:
      return IsSubdomain(set.cliques[entry.owner].name) &&
             (set.Standalone(entry.owner) ||
              IsSubdomain(set.groups[set.cliques[entry.owner].group].name));
  }
  return false;
}

// The longest name there is when each object has as many replicas as the set allows.
std::string LongestName(const ClaimSource& source) {
  Indices last = {};
  for (size_t i = 0; i < last.size(); ++i) {
    last[i] = std::max(source.replicas[i].most - 1, int64_t{0});
  }
  return source.names.At(last);
}

// Whether all names a source stands for are legal, also those of replicas that somebody adds by
// hand; told otherwise.
bool CheckValid(const SetOutline& set, const ClaimSource& source, Findings& findings) {
  const auto wrong =
      schema::CheckDns1123Subdomain(source.names.At({kMaxIndex, kMaxIndex, kMaxIndex}));
  if (wrong.empty() || !OwnerIsNamed(set, source)) {
    return wrong.empty();
  }
  for (const std::string& text : wrong) {
    findings.Add(kValidName,
                 schema::Invalid(
                     schema::FieldPath::Base(NamePath(source)), Member(*source.value, "name"),
                     fmt::format("claims would be named '{}': {}", source.names.ToString(), text)));
  }
  return false;
}

// Pods call a claim by its name as long as that is a DNS label, as the names within pods must be.
void WarnAboutShortening(const ClaimSource& source, Findings& findings) {
  const std::string longest = LongestName(source);
  if (longest.size() > kMaxLabel || longest.find('.') != std::string::npos) {
    findings.Warn(
        fmt::format("{}: claims such as '{}' have names that pods cannot use as they are "
                    "(more than {} characters, or dots); pods refer to them by a "
                    "shortened name",
                    source.Place(), longest, kMaxLabel));
  }
}

bool SameList(const ClaimSource& a, const ClaimSource& b) {
  return a.level == b.level && a.owner == b.owner;
}

void CheckOverlaps(const std::vector<ClaimSource>& sources, Findings& findings) {
  std::vector<const NamePattern*> patterns;
  patterns.reserve(sources.size());
  for (const ClaimSource& source : sources) {
    patterns.push_back(&source.names);
  }
  for (const auto& [first, second] : FindOverlaps(patterns)) {
    const ClaimSource& source = sources[second];
    if (SameList(sources[first], source)) {
      continue;  // a name that stands twice was told as such
    }
    findings.Add(
        kUniqueName,
        schema::Invalid(schema::FieldPath::Base(NamePath(source)), Member(*source.value, "name"),
                        fmt::format("claims would be named '{}', and so would those of {}",
                                    source.names.ToString(), sources[first].Place())));
  }
}

void Check(const SetOutline& set, const Request& /*request*/, Findings& findings) {
  if (!IsSubdomain(set.name)) {
    return;
  }
  std::vector<ClaimSource> valid;
  for (ClaimSource& source : ClaimSources(set)) {
    if (CheckValid(set, source, findings)) {
      WarnAboutShortening(source, findings);
      valid.push_back(std::move(source));
    }
  }
  CheckOverlaps(valid, findings);
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

Part ClaimNamesPart() { return {Check, {&kValidName, &kUniqueName}, Part::When::kFresh}; }

}  // namespace hearth::admission::grove
