#include "grove/view/internal/reasons.h"

#include <fmt/format.h>

#include "api/grove/constants.h"
#include "base/strings.h"
#include "claims/inject.h"
#include "claims/place.h"
#include "grove/model/labels.h"

namespace hearth::grove {
namespace {

using api::Condition;
using api::grove::LastError;

struct Concern {
  std::string_view type;
  std::string_view bad;  // the status that is a problem
};
constexpr Concern kConcerns[] = {{api::grove::kMinAvailableBreached, "True"},
                                 {api::grove::kGangTerminationInProgress, "True"},
                                 {api::grove::kTopologyLevelsUnavailable, "True"},
                                 {api::grove::kTopologyLevelsUnavailable, "Unknown"},
                                 {api::grove::kPodCliqueScheduled, "False"},
                                 {api::grove::kResourceClaimsReady, "False"}};

bool IsProblem(const Condition& condition) {
  for (const Concern& concern : kConcerns) {
    if (condition.type == concern.type && condition.status == concern.bad) {
      return true;
    }
  }
  return condition.type == api::grove::kResourceClaimsReady &&
         condition.reason == claims::kTooManyConsumers;
}

std::string Told(const Condition& condition) {
  return condition.message.empty() ? condition.reason : condition.reason + ": " + condition.message;
}

void AddConditions(const std::vector<Condition>& conditions, std::vector<Problem>& problems) {
  for (const Condition& condition : conditions) {
    if (IsProblem(condition)) {
      problems.push_back({condition.type, Told(condition)});
    }
  }
}

void AddErrors(const std::vector<LastError>& errors, std::vector<Problem>& problems) {
  for (const LastError& error : errors) {
    problems.push_back({error.code, error.description});
  }
}

template <typename Facts>
std::vector<Problem> FromStatus(const Facts& object) {
  std::vector<Problem> problems;
  if (object.status.observed_generation < object.id.generation) {
    problems.push_back(
        {"NotObserved", fmt::format("the operator has not carried out generation {} yet, only {}",
                                    object.id.generation, object.status.observed_generation)});
  }
  AddConditions(object.status.conditions, problems);
  AddErrors(object.status.last_errors, problems);
  return problems;
}

// ---- What a pod with our gate waits for.
class Waiting {
 public:
  Waiting(const Lookup& lookup, const CliqueFacts& clique, const PodState& pod)
      : lookup_(lookup), clique_(clique), pod_(pod) {}

  std::vector<Problem> Reasons() {
    AddClaims();
    AddBaseGang();
    AddGang();
    if (reasons_.empty()) {
      Add("WaitsForOperator",
          "nothing it waits for is missing, and the operator has not let it go yet; is it "
          "running?");
    }
    return std::move(reasons_);
  }

 private:
  void Add(std::string reason, std::string message) {
    reasons_.push_back({std::move(reason), std::move(message)});
  }

  void AddClaims() {
    const auto place = claims::PlaceOf(lookup_.facts().set, clique_, pod_.facts.index.value_or(0));
    if (!place.ok()) {
      Add("Misplaced", std::string(place.status().message()));
      return;
    }
    for (const std::string& name : claims::ClaimsOf(lookup_.facts().set, *place)) {
      const std::string why = NotReady(name);
      if (!why.empty()) {
        Add("WaitsForClaim", fmt::format("ResourceClaim {} {}", name, why));
      }
    }
  }

  // Why a claim cannot be used; empty: it can.
  std::string NotReady(const std::string& name) const {
    if (!lookup_.facts().serves_claims) {
      return "cannot be made: the cluster serves no resource.k8s.io API";
    }
    const SharedClaim* const claim = lookup_.Claim(name);
    if (claim == nullptr) {
      return "is not there";
    }
    if (claim->facts.id.deleting) {
      return "is being deleted";
    }
    const auto owner = claim->facts.labels.find(std::string(kPartOfLabel));
    const bool ours =
        owner != claim->facts.labels.end() && owner->second == lookup_.facts().set.id.name;
    return ours ? "" : "belongs to somebody else";
  }

  void AddBaseGang() {
    if (clique_.base_gang.empty()) {
      return;
    }
    const auto& parts = lookup_.CliquesOfGang(clique_.base_gang);
    if (parts.empty()) {
      Add("WaitsForBaseGang", fmt::format("base gang {} has no PodCliques yet", clique_.base_gang));
    }
    for (const CliqueFacts* part : parts) {
      if (part->status.scheduled_replicas < part->min_available) {
        Add("WaitsForBaseGang",
            fmt::format("base gang {} is not scheduled: PodClique {} has {} of {} pods scheduled",
                        clique_.base_gang, part->id.name, part->status.scheduled_replicas,
                        part->min_available));
      }
    }
  }

  void AddGang() {
    const GangFacts* const gang = lookup_.Gang(clique_.gang);
    if (gang == nullptr) {
      Add("WaitsForGang", fmt::format("PodGang {} is not there", clique_.gang));
    } else if (reasons_.empty() && !Names(*gang)) {
      Add("WaitsForGang", fmt::format("PodGang {} does not name it yet", clique_.gang));
    }
  }

  bool Names(const GangFacts& gang) const {
    for (const auto& group : gang.spec.pod_groups) {
      for (const auto& reference : group.pod_references) {
        if (group.name == clique_.id.name && reference.name == pod_.facts.id.name) {
          return true;
        }
      }
    }
    return false;
  }

  const Lookup& lookup_;
  const CliqueFacts& clique_;
  const PodState& pod_;
  std::vector<Problem> reasons_;
};

}  // namespace

std::vector<Problem> ProblemsOf(const SetFacts& set) { return FromStatus(set); }
std::vector<Problem> ProblemsOf(const GroupFacts& group) { return FromStatus(group); }
std::vector<Problem> ProblemsOf(const CliqueFacts& clique) { return FromStatus(clique); }

std::vector<Problem> ProblemsOfGang(const Lookup& lookup, std::string_view name) {
  const GangFacts* const gang = lookup.Gang(name);
  if (gang == nullptr) {
    return {{"GangMissing", fmt::format("PodGang {} is not there", name)}};
  }
  struct Trouble {
    std::string_view type;
    std::string_view bad;
    const char* reason;
  };
  constexpr Trouble kTroubles[] = {{api::grove::kInitialized, "False", "GangNotInitialized"},
                                   {api::grove::kScheduled, "False", "GangNotScheduled"},
                                   {"Unhealthy", "True", "GangUnhealthy"}};
  std::vector<Problem> problems;
  for (const Condition& condition : gang->status.conditions) {
    for (const Trouble& trouble : kTroubles) {
      if (condition.type == trouble.type && condition.status == trouble.bad) {
        problems.push_back({trouble.reason, fmt::format("PodGang {}: {}", name, Told(condition))});
      }
    }
  }
  return problems;
}

std::vector<Problem> ProblemsOf(const Lookup& lookup, const CliqueFacts* clique,
                                const PodState& pod) {
  if (pod.facts.id.deleting || pod.facts.ready) {
    return {};
  }
  std::vector<Problem> problems;
  if (pod.facts.gated && clique != nullptr) {
    problems = Waiting(lookup, *clique, pod).Reasons();
  }
  for (const std::string& gate : pod.foreign_gates) {
    problems.push_back(
        {"SchedulingGated", fmt::format("scheduling gate {} of another controller", gate)});
  }
  if (pod.waits_for_start && clique != nullptr) {
    problems.push_back({"WaitsForStart", fmt::format("pods of {} must be ready first",
                                                     Join(clique->starts_after, ", "))});
  }
  for (const pods::Trouble::Line& line : pod.trouble.lines) {
    problems.push_back({line.reason, line.message});
  }
  return problems;
}

}  // namespace hearth::grove
