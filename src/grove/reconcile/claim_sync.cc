#include "grove/reconcile/claim_sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/grove/constants.h"
#include "claims/consumers.h"
#include "grove/model/labels.h"
#include "grove/reconcile/errors.h"
#include "grove/reconcile/outcome.h"
#include "json/equal.h"
#include "kube/model/api_status.h"

namespace hearth::grove {
namespace {

using claims::ClaimPlan;
using claims::ClaimStep;
using controller::Pass;

// Nobody tells us when somebody else's claim goes.
constexpr Duration kLookAgainForForeign = std::chrono::seconds(30);

std::string_view LevelName(claims::Level level) {
  switch (level) {
    case claims::Level::kSet:
      return "set";
    case claims::Level::kGroup:
      return "group";
    case claims::Level::kClique:
      return "clique";
  }
  return "";
}

size_t CountSent(const ClaimPlan& plan, const std::vector<Status>& outcomes, ClaimStep::Kind kind) {
  size_t count = 0;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    count += outcomes[i].ok() && plan.steps[i].kind == kind ? 1 : 0;
  }
  return count;
}

bool IsConflictOfNames(const Status& status) {
  return status.reason() == claims::kClaimNameConflict;
}

controller::Condition NotServed(int64_t generation) {
  return {std::string(api::grove::kResourceClaimsReady), "False", "ResourceApiNotServed",
          "the cluster serves no resource.k8s.io API, so claims cannot be shared; enable dynamic "
          "resource allocation and restart the operator",
          generation};
}

}  // namespace

ClaimSync::Outcome ClaimSync::Run(Pass& pass, const SetFacts& set, const claims::Owner& owner,
                                  const kube::ResourceType& type,
                                  const controller::CachedObject& about, std::string_view code,
                                  PassNotes& notes) const {
  if (owner.sharing.empty()) {
    return {};
  }
  if (!caches_.claims) {
    notes.claims = NotServed(about.generation());
    return {};
  }
  const auto existing = Existing(owner);
  Status unread;  // a template that may be there
  ClaimPlan plan = claims::PlanClaims(
      owner, set.parts().resource_claim_templates, existing,
      [&](std::string_view claim) { return InUse(owner.name_space, claim); },
      [&](const kube::ObjectKey& key) {
        auto found = ReadTemplate(pass, key);
        if (!found.ok() && !found.status().Is(Code::kNotFound)) {
          unread = found.status();
        }
        return found;
      });
  const std::vector<Status> outcomes =
      SendMost(plan.steps.size(), [&](size_t i) { return Send(pass, owner, plan.steps[i]); });
  Outcome outcome;
  outcome.failure = unread;
  Status refusal;
  size_t refused = 0;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].ok() && plan.steps[i].kind == ClaimStep::Kind::kCreate) {
      outcome.made.insert(plan.steps[i].name);
    } else if (IsConflictOfNames(outcomes[i])) {
      plan.problems.push_back({plan.steps[i].name, std::string(claims::kClaimNameConflict),
                               std::string(outcomes[i].message())});
    } else if (!outcomes[i].ok()) {
      refused += IsRace(outcomes[i]) ? 0 : 1;
      if (!WasNotTried(outcomes[i])) {
        refusal = refusal.ok() && !IsRace(outcomes[i]) ? outcomes[i] : refusal;
        outcome.failure = Worse(outcome.failure, outcomes[i]);
      }
      if (plan.steps[i].kind == ClaimStep::Kind::kCreate) {
        plan.problems.push_back({plan.steps[i].name, std::string(claims::kClaimNotCreated),
                                 std::string(outcomes[i].message())});
      }
    }
  }
  if (!refusal.ok()) {
    AddError(notes.errors, code, refusal, refused);
  }
  for (const claims::ClaimProblem& problem : plan.problems) {
    if (problem.reason == claims::kClaimNameConflict) {
      outcome.look_again = kLookAgainForForeign;
    }
  }
  if (plan.more) {
    outcome.look_again = Duration::zero();
  }
  Tell(pass, owner, type, about, plan, outcomes);
  notes.claims =
      claims::ClaimsCondition(plan, about.generation(), claims::TooManyConsumers(set, owner));
  notes.claim_counts = api::grove::ResourceClaimCounts{
      plan.total, plan.bound, fmt::format("{}/{}", plan.bound, plan.total)};
  return outcome;
}

std::vector<claims::ClaimFacts> ClaimSync::Existing(const claims::Owner& owner) const {
  std::vector<claims::ClaimFacts> existing;
  const auto add = [&](const controller::Snapshot<ClaimFields>& claim) {
    existing.push_back(FactsOf<claims::ClaimFacts>(claim));
  };
  for (const auto& claim : caches_.claims->Lookup(kByOwner, owner.reference.uid)) {
    add(claim);
  }
  // Others may stand where ours should: of a former owner of this name, or foreign.
  for (const claims::Claim& wanted : claims::DesiredClaims(owner)) {
    const auto claim = caches_.claims->Get({owner.name_space, wanted.name});
    if (claim && !Identity::Of(**claim).IsControlledBy(owner.reference.uid)) {
      add(*claim);
    }
  }
  return existing;
}

bool ClaimSync::InUse(std::string_view name_space, std::string_view claim) const {
  const auto pods = caches_.pods.Lookup(kByClaim, InNamespace(name_space, claim));
  return std::any_of(pods.begin(), pods.end(), [](const auto& pod) { return !pod->deleting(); });
}

Result<claims::Template> ClaimSync::ReadTemplate(Pass& pass, const kube::ObjectKey& key) const {
  const auto& type = claims::ResourceClaimTemplates(*caches_.claim_api);
  const Status missing = NotFoundError(fmt::format(
      "there is no ResourceClaimTemplate {}; create it, or correct the name", key.ToString()));
  if (!caches_.claim_templates->Get(key)) {
    return missing;  // its creation wakes us
  }
  const auto found = pass.client().Get(type, key, pass.limit());
  if (!found.ok()) {
    return found.status().reason() == kube::reason::kNotFound ? missing : found.status();
  }
  return claims::ExternalTemplate(*caches_.claim_api, found->view());
}

Status ClaimSync::Send(Pass& pass, const claims::Owner& owner, const ClaimStep& step) const {
  const kube::ResourceType& type = claims::ResourceClaims(*caches_.claim_api);
  const kube::ObjectKey key{owner.name_space, step.name};
  if (step.kind == ClaimStep::Kind::kCreate) {
    ASSIGN_OR_RETURN(const json::Value body, claims::ClaimTo(*caches_.claim_api, step.body));
    const Status created = pass.Create(type, body);
    return created.reason() == kube::reason::kAlreadyExists ? Adopt(pass, owner, step) : created;
  }
  const auto cached = caches_.claims->Get(key);
  if (!cached || (*cached)->uid() != step.uid) {
    return {};  // it has just gone, and that wakes us
  }
  return step.kind == ClaimStep::Kind::kDelete ? pass.Delete(type, **cached).status()
                                               : pass.Patch(type, **cached, step.body);
}

Status ClaimSync::Adopt(Pass& pass, const claims::Owner& owner, const ClaimStep& step) const {
  const kube::ResourceType& type = claims::ResourceClaims(*caches_.claim_api);
  const kube::ObjectKey key{owner.name_space, step.name};
  ASSIGN_OR_RETURN(const kube::Object there, pass.client().Get(type, key, pass.limit()));
  const auto controller = there.meta().controller();
  const bool ours = controller && controller->uid == owner.reference.uid;
  if (controller && !ours) {
    return {Code::kConflict, std::string(claims::kClaimNameConflict),
            fmt::format("there is a ResourceClaim {} that belongs to {} {}; delete or rename it",
                        key.ToString(), controller->kind, controller->name)};
  }
  if (there.meta().deleting()) {
    return UnavailableError(fmt::format("ResourceClaim {} is being deleted", key.ToString()));
  }
  const std::string wanted = step.body.FindPath("metadata.labels")->Write();
  if (ours && json::Covers(there.view()["metadata"]["labels"], json::View::Trusted(wanted), {})) {
    return {};  // and the cache lags behind
  }
  // Nobody's, or ours without the labels by which the cache would know it.
  json::Value patch;
  if (ours) {
    patch["metadata"].Set("labels", *step.body.FindPath("metadata.labels"));
  } else {
    patch.Set("metadata", *step.body.Find("metadata"));
    // Who owns it without controlling it goes on doing so.
    for (const json::View other : there.view()["metadata"]["ownerReferences"].items()) {
      patch["metadata"]["ownerReferences"].Append(json::Value(other));
    }
    patch["metadata"].Set("resourceVersion", there.meta().resource_version());
  }
  patch["metadata"].Set("uid", there.meta().uid());
  const std::string text = patch.Write();
  ASSIGN_OR_RETURN(const kube::Object adopted,
                   pass.client().Patch(type, key, kube::PatchType::kMerge,
                                       json::View::Trusted(text), pass.limit()));
  pass.Wrote(type, adopted);
  return {};
}

void ClaimSync::Tell(Pass& pass, const claims::Owner& owner, const kube::ResourceType& type,
                     const controller::CachedObject& about, const ClaimPlan& plan,
                     const std::vector<Status>& outcomes) const {
  const std::string_view level = LevelName(owner.level);
  if (const size_t created = CountSent(plan, outcomes, ClaimStep::Kind::kCreate)) {
    metrics_.ClaimsCreated(level, created);
    pass.Event(type, about, controller::EventType::kNormal, "ResourceClaimsCreated",
               fmt::format("made {} of {} shared ResourceClaims", created, plan.total));
  }
  if (const size_t deleted = CountSent(plan, outcomes, ClaimStep::Kind::kDelete)) {
    metrics_.ClaimsDeleted(level, deleted);
    pass.Event(type, about, controller::EventType::kNormal, "ResourceClaimsDeleted",
               fmt::format("deleted {} ResourceClaims of replicas that are gone", deleted));
  }
  for (const claims::ClaimProblem& problem : plan.problems) {
    metrics_.ClaimProblem(level, problem.reason);
  }
}

std::vector<Removal> ClaimSync::OfOwner(std::string_view owner_uid) const {
  std::vector<Removal> claims;
  if (!caches_.claims) {
    return claims;
  }
  for (const auto& claim : caches_.claims->Lookup(kByOwner, owner_uid)) {
    if (Identity::Of(*claim).IsControlledBy(owner_uid)) {
      claims.push_back(
          {error_code::kCliqueClaims, &claims::ResourceClaims(*caches_.claim_api), claim.ptr()});
    }
  }
  return claims;
}

bool ClaimSync::AreReady(const SetFacts& set, const std::vector<std::string>& names,
                         const std::set<std::string>& made) const {
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    if (made.contains(name)) {
      return true;
    }
    const auto claim =
        caches_.claims ? caches_.claims->Get({set.id.name_space, name}) : std::nullopt;
    return claim && !(*claim)->deleting() &&
           (*claim)->view()["metadata"]["labels"][kPartOfLabel].Equals(set.id.name);
  });
}

}  // namespace hearth::grove
