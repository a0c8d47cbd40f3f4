#include "admission/grove/claim_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/grove/internal/part.h"
#include "admission/grove/internal/reading.h"
#include "schema/names.h"

namespace hearth::admission::grove {
namespace {

constexpr int64_t kMaxIndex = 2147483646;

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

// An object that owns claims: the start of their names.
struct Owner {
  NamePattern name;
  std::vector<Replicas> replicas;

  Owner Child(Replicas own, std::string_view child) const {
    Owner owner = *this;
    owner.name.AddIndex().Add(child);
    owner.replicas.push_back(own);
    return owner;
  }
};

void AddSources(const json::Value& object, const Owner& owner, Replicas own,
                ClaimSource::Level level, size_t index, std::vector<ClaimSource>& sources) {
  const json::Value::Items& entries = List(object, "resourceSharing");
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string_view claim_template = Text(entries[i], "name");
    if (claim_template.empty()) {
      continue;
    }
    ClaimSource source{level, index, i, &entries[i], owner.name, owner.replicas};
    if (Text(entries[i], "scope") == "PerReplica") {
      source.names.AddIndex();
      source.replicas.push_back(own);
    } else {
      source.names.Add("all");
    }
    source.names.Add(claim_template);
    sources.push_back(std::move(source));
  }
}

bool IsSubdomain(std::string_view name) { return schema::CheckDns1123Subdomain(name).empty(); }

std::string NamePath(const ClaimSource& source) { return source.Place() + ".name"; }

// Whether all names a source stands for are legal; told otherwise.
bool CheckValid(const ClaimSource& source, Findings& findings) {
  const std::string longest =
      source.names.At(std::vector<int64_t>(source.names.indices(), kMaxIndex));
  const auto wrong = schema::CheckDns1123Subdomain(longest);
  for (const std::string& text : wrong) {
    findings.Add(kValidName,
                 schema::Invalid(
                     schema::FieldPath::Base(NamePath(source)), Member(*source.value, "name"),
                     fmt::format("claims would be named '{}': {}", source.names.ToString(), text)));
  }
  return wrong.empty();
}

// Pods call a claim by its name as long as that is a DNS label, which only claims of pods must be.
void WarnAboutShortening(const ClaimSource& source, Findings& findings) {
  std::vector<int64_t> last;
  for (const Replicas& replicas : source.replicas) {
    last.push_back(std::max(replicas.most - 1, int64_t{0}));
  }
  const std::string longest = source.names.At(last);
  if (!schema::CheckDns1123Label(longest).empty()) {
    findings.Warn(
        fmt::format("{}: claims such as '{}' have names that pods cannot use as they are "
                    "(more than 63 characters, or dots); pods refer to them by a "
                    "shortened name",
                    source.Place(), longest));
  }
}

bool SameList(const ClaimSource& a, const ClaimSource& b) {
  return a.level == b.level && a.owner == b.owner;
}

void CheckOverlaps(const std::vector<ClaimSource>& sources, Findings& findings) {
  std::vector<NamePattern> patterns;
  patterns.reserve(sources.size());
  for (const ClaimSource& source : sources) {
    patterns.push_back(source.names);
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

// Names that are wrong on their own are told elsewhere; what is made from them is not looked at.
bool OwnerIsNamed(const SetOutline& set, const ClaimSource& source) {
  switch (source.level) {
    case ClaimSource::Level::kSet:
      return true;
    case ClaimSource::Level::kGroup:
      return IsSubdomain(set.groups[source.owner].name);
    case ClaimSource::Level::kClique:
      return IsSubdomain(set.cliques[source.owner].name) &&
             (set.Standalone(source.owner) ||
              IsSubdomain(set.groups[set.cliques[source.owner].group].name));
  }
  return false;
}

void Check(const SetOutline& set, const Request& /*request*/, Findings& findings) {
  if (!IsSubdomain(set.name)) {
    return;
  }
  std::vector<ClaimSource> valid;
  for (ClaimSource& source : ClaimSources(set)) {
    if (OwnerIsNamed(set, source) && CheckValid(source, findings)) {
      WarnAboutShortening(source, findings);
      valid.push_back(std::move(source));
    }
  }
  CheckOverlaps(valid, findings);
}

// The next indices in the order of counting; false past the last ones.
bool Advance(std::vector<int64_t>& indices, const std::vector<Replicas>& replicas) {
  for (size_t i = indices.size(); i-- > 0;) {
    if (++indices[i] < replicas[i].first) {
      return true;
    }
    indices[i] = 0;
  }
  return false;
}

}  // namespace

std::string ClaimSource::Place() const {
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

std::vector<ClaimSource> ClaimSources(const SetOutline& set) {
  using Level = ClaimSource::Level;
  std::vector<ClaimSource> sources;
  const Owner root{NamePattern(set.name), {}};
  const Replicas of_set = ReplicasOf(set.spec, "");
  AddSources(set.set_template, root, of_set, Level::kSet, 0, sources);
  std::vector<Owner> groups;
  std::vector<Replicas> of_groups;
  for (size_t i = 0; i < set.groups.size(); ++i) {
    groups.push_back(root.Child(of_set, set.groups[i].name));
    of_groups.push_back(ReplicasOf(*set.groups[i].value, "scaleConfig"));
    AddSources(*set.groups[i].value, groups[i], of_groups[i], Level::kGroup, i, sources);
  }
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const SetOutline::Clique& clique = set.cliques[i];
    if (List(*clique.value, "resourceSharing").empty()) {
      continue;
    }
    const Owner owner = set.Standalone(i)
                            ? root.Child(of_set, clique.name)
                            : groups[clique.group].Child(of_groups[clique.group], clique.name);
    AddSources(*clique.value, owner, ReplicasOf(*clique.spec, "autoScalingConfig"), Level::kClique,
               i, sources);
  }
  return sources;
}

std::vector<std::string> ClaimNames(const json::Value& set, size_t limit) {
  std::vector<std::string> names;
  for (const ClaimSource& source : ClaimSources(SetOutline(set))) {
    const bool none = std::any_of(source.replicas.begin(), source.replicas.end(),
                                  [](const Replicas& replicas) { return replicas.first == 0; });
    std::vector<int64_t> indices(source.replicas.size(), 0);
    for (bool more = !none; more && names.size() < limit;
         more = Advance(indices, source.replicas)) {
      names.push_back(source.names.At(indices));
    }
  }
  return names;
}

Part ClaimNamesPart() { return {Check, {&kValidName, &kUniqueName}, Part::When::kFresh}; }

}  // namespace hearth::admission::grove
