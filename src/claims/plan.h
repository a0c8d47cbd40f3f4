#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "claims/level.h"
#include "claims/template.h"
#include "controller/conditions.h"
#include "json/value.h"

// What is to be done about the claims of one owner: facts in, plan out. Pure.
namespace hearth::claims {

// A ResourceClaim as it is.
struct ClaimFacts {
  grove::Identity id;
  grove::Labels labels;
  std::string template_identity;  // kClaimTemplateAnnotation
  bool allocated = false;
  size_t consumers = 0;                            // status.reservedFor
  std::vector<kube::OwnerReference> other_owners;  // those that do not control it

  static ClaimFacts From(grove::Identity id, json::View object);
};

enum class ClaimState { kMissing, kReady, kTerminating, kForeign };
// kForeign: it has another controller. One without any, and one whose controller is a former object
// of our name and kind (another uid), is ours to take over.
ClaimState StateOf(const Owner& owner, const ClaimFacts* claim);

// One thing to be sent.
struct ClaimStep {
  enum class Kind { kCreate, kPatchMetadata, kDelete };
  Kind kind;
  std::string name;
  std::string uid;   // of what is patched or deleted
  json::Value body;  // the claim (v1), or a merge patch; null for a deletion
};

// Reasons of problems, and of the condition.
inline constexpr std::string_view kAllClaimsReady = "AllClaimsReady";
inline constexpr std::string_view kTemplateNotFound = "TemplateNotFound";
inline constexpr std::string_view kClaimTerminating = "ClaimTerminating";
inline constexpr std::string_view kClaimNameConflict = "ClaimNameConflict";
inline constexpr std::string_view kClaimNameTooLong = "ClaimNameTooLong";
inline constexpr std::string_view kClaimNotCreated = "ClaimNotCreated";  // the server refused it
inline constexpr std::string_view kTooManyConsumers = "TooManyConsumers";

// Why a claim is not there or not usable.
struct ClaimProblem {
  std::string claim;
  std::string reason;
  std::string message;
};

// How many claims one plan makes at most.
inline constexpr size_t kMostPerPlan = 10'000;

struct ClaimPlan {
  bool shares = false;  // the owner has anything to share
  std::vector<ClaimStep> steps;
  std::vector<ClaimProblem> problems;
  bool more = false;  // than kMostPerPlan are missing: plan again when these are made
  int32_t total = 0;  // claims that should be there
  int32_t bound = 0;  // of these, allocated
  std::vector<std::string> missing_templates;  // "<namespace>/<name>" that were looked for
  // Templates of the cluster that were replaced between one claim and the next: replicas differ.
  std::vector<std::string> replaced_templates;
};

// `existing` are the claims with the level's labels and those of the desired names; `in_use` tells
// whether a pod that is not being deleted names a claim: what is no longer wanted is deleted only
// when none does. Templates are asked for only to create. One problem stops nothing else.
ClaimPlan PlanClaims(const Owner& owner,
                     const std::vector<api::grove::ResourceClaimTemplate>& internal_templates,
                     std::span<const ClaimFacts> existing,
                     const std::function<bool(std::string_view claim)>& in_use,
                     const FindExternal& find_external);

// ResourceClaimsReady, of a plan whose steps were executed; one that could not be is a further
// problem. True AllClaimsReady; False with the reason of the first problem and a message that
// counts the others; nothing when nothing is shared. `too_many` is what TooManyConsumers of
// consumers.h says; empty: nothing. Everything is there then and some pods will find no place all
// the same, so the condition stays True, with the reason TooManyConsumers.
std::optional<controller::Condition> ClaimsCondition(const ClaimPlan& plan, int64_t generation,
                                                     std::string_view too_many);

}  // namespace hearth::claims
