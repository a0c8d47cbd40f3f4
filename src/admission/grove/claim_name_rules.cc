#include <fmt/format.h>

#include <algorithm>

#include "admission/grove/claim_names.h"
#include "admission/grove/internal/part.h"
#include "admission/rules/reading.h"
#include "schema/names.h"

namespace hearth::admission::grove {
namespace {

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
  std::array<int64_t, NamePattern::kMaxIndices> last = {};
  for (size_t i = 0; i < last.size(); ++i) {
    last[i] = std::max(source.replicas[i].most - 1, int64_t{0});
  }
  return source.names.At(last);
}

// Whether all names a source stands for are legal, also those of replicas that somebody adds by
// hand; told otherwise.
bool CheckValid(const SetOutline& set, const ClaimSource& source, Findings& findings) {
  const auto wrong = schema::CheckDns1123Subdomain(
      source.names.At({kMaxClaimIndex, kMaxClaimIndex, kMaxClaimIndex}));
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
    findings.Warn({source.Place(),
                   fmt::format("claims such as '{}' have names that pods cannot use as they are "
                               "(more than {} characters, or dots); pods refer to them by a "
                               "shortened name",
                               longest, kMaxLabel)});
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

}  // namespace

Part ClaimNamesPart() { return {Check, {&kValidName, &kUniqueName}, Part::When::kFresh}; }

}  // namespace hearth::admission::grove
