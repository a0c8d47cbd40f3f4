#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "claims/plan.h"
#include "controller/pass.h"
#include "grove/plan/clique_status.h"
#include "grove/reconcile/caches.h"
#include "grove/reconcile/ensure.h"
#include "grove/reconcile/grove_metrics.h"

namespace hearth::grove {

// Makes the claims of one owner true: gathers, plans (claims::PlanClaims) and sends. What fails is
// told in the outcome and stops nothing else.
class ClaimSync {
 public:
  struct Outcome {
    std::optional<Duration> look_again;  // where nothing would wake us
    std::set<std::string> made;          // claims that were not there before
    Status failure;                      // what another try may mend
  };
  ClaimSync(const GroveCaches& caches, GroveMetrics& metrics)
      : caches_(caches), metrics_(metrics) {}

  // `about` is the owner's cached object, for events; `type` its type; `code` what a failure is
  // called in lastErrors. Appends to `notes` what the status should say.
  Outcome Run(controller::Pass& pass, const SetFacts& set, const claims::Owner& owner,
              const kube::ResourceType& type, const controller::CachedObject& about,
              std::string_view code, PassNotes& notes) const;

  // The claims that an owner controls, which go with it.
  std::vector<Removal> OfOwner(std::string_view owner_uid) const;

  // Whether all of these are there and can be used; `made` counts as well, whether the cache shows
  // it or not.
  bool AreReady(const SetFacts& set, const std::vector<std::string>& names,
                const std::set<std::string>& made) const;

 private:
  std::vector<claims::ClaimFacts> Existing(const claims::Owner& owner) const;
  bool InUse(std::string_view name_space, std::string_view claim) const;
  Result<claims::Template> ReadTemplate(controller::Pass& pass, const kube::ObjectKey& key) const;
  // One step. A claim of that name that the cache does not show is adopted, unless it is somebody
  // else's: kConflict with the reason ClaimNameConflict.
  Status Send(controller::Pass& pass, const claims::Owner& owner,
              const claims::ClaimStep& step) const;
  Status Adopt(controller::Pass& pass, const claims::Owner& owner,
               const claims::ClaimStep& step) const;
  void Tell(controller::Pass& pass, const claims::Owner& owner, const kube::ResourceType& type,
            const controller::CachedObject& about, const claims::ClaimPlan& plan,
            const std::vector<Status>& outcomes) const;

  const GroveCaches& caches_;
  GroveMetrics& metrics_;
};

}  // namespace hearth::grove
