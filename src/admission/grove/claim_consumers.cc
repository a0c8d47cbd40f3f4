#include <fmt/format.h>

#include <algorithm>

#include "admission/grove/claim_names.h"
#include "admission/grove/internal/part.h"
#include "admission/rules/reading.h"
#include "base/seeded_hash.h"

namespace hearth::admission::grove {
namespace {

// How many pods Kubernetes reserves one ResourceClaim for.
constexpr double kMaxConsumers = 256;

// Counts are users' and may be anything, products of three of them all the more.
double Count(const json::Value& object) {
  return static_cast<double>(std::max(Integer(object, "replicas").value_or(1), int64_t{0}));
}

// The pods that share one claim, for each entry of some resourceSharing.
class Consumers {
 public:
  explicit Consumers(const SetOutline& set)
      : set_(set), replicas_(Count(set.spec)), of_groups_(set.groups.size(), 0) {
    for (const SetOutline::Group& group : set.groups) {
      groups_.push_back(Count(*group.value));
    }
    for (size_t i = 0; i < set.cliques.size(); ++i) {
      cliques_.push_back(Count(*set.cliques[i].spec));
      total_ += OfClique(i);
      if (!set.Standalone(i)) {
        of_groups_[set.cliques[i].group] += cliques_[i];
      }
    }
  }

  double Of(const SharingEntry& entry) const {
    const bool all = Text(*entry.value, "scope") != "PerReplica";
    switch (entry.level) {
      case SharingEntry::Level::kSet:
        return InSet(Member(*entry.value, "filter")) * (all ? replicas_ : 1);
      case SharingEntry::Level::kGroup:
        return InGroup(entry.owner, Member(*entry.value, "filter")) *
               (all ? groups_[entry.owner] : 1);
      case SharingEntry::Level::kClique:
        return all ? cliques_[entry.owner] : 1;
    }
    return 0;
  }

 private:
  // Pods of a clique in one replica of the set.
  double OfClique(size_t index) const {
    return cliques_[index] * (set_.Standalone(index) ? 1 : groups_[set_.cliques[index].group]);
  }

  static SeededSet<std::string_view> Names(const json::Value& filter, std::string_view list) {
    SeededSet<std::string_view> names;
    for (const json::Value& name : Items(filter, list)) {
      names.insert(Text(&name));
    }
    return names;
  }

  // A clique that is picked by its own name and by its group's is one all the same.
  double InSet(const json::Value& filter) const {
    if (!filter.IsObject()) {
      return total_;
    }
    double pods = 0;
    const auto groups = Names(filter, "childScalingGroupNames");
    for (const std::string_view name : groups) {
      const auto group = set_.group_of.find(name);
      pods += group == set_.group_of.end() ? 0 : of_groups_[group->second] * groups_[group->second];
    }
    for (const std::string_view name : Names(filter, "childCliqueNames")) {
      const auto clique = set_.clique_of.find(name);
      const bool counted = clique == set_.clique_of.end() ||
                           (!set_.Standalone(clique->second) &&
                            groups.contains(set_.groups[set_.cliques[clique->second].group].name));
      pods += counted ? 0 : OfClique(clique->second);
    }
    return pods;
  }

  double InGroup(size_t group, const json::Value& filter) const {
    if (!filter.IsObject()) {
      return of_groups_[group];
    }
    double pods = 0;
    for (const std::string_view name : Names(filter, "childCliqueNames")) {
      const auto clique = set_.clique_of.find(name);
      const bool member =
          clique != set_.clique_of.end() && set_.cliques[clique->second].group == group;
      pods += member ? cliques_[clique->second] : 0;
    }
    return pods;
  }

  const SetOutline& set_;
  // What replicas say, each read once: any number of cliques may be in one group, and any number of
  // entries ask.
  double replicas_;
  std::vector<double> groups_;
  std::vector<double> cliques_;
  double total_ = 0;
  std::vector<double> of_groups_;  // pods in one replica of each group
};

void Check(const SetOutline& set, const Request& /*request*/, Findings& findings) {
  const Consumers consumers(set);
  for (const SharingEntry& entry : SharingEntries(set)) {
    const double pods = consumers.Of(entry);
    if (pods > kMaxConsumers) {
      findings.Warn(
          {entry.Place(), fmt::format("{:.0f} pods would share one ResourceClaim, and Kubernetes "
                                      "reserves a claim for at most {:.0f}: the others cannot be "
                                      "scheduled",
                                      pods, kMaxConsumers)});
    }
  }
}

}  // namespace

Part ClaimConsumersPart() { return {Check, {}}; }

}  // namespace hearth::admission::grove
