#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/reconciler.h"
#include "grove/reconcile/caches.h"
#include "grove/render/gang.h"
#include "grove/scheduler/backend.h"

namespace hearth::grove {

// Keeps the PodGangs of sets: which pods belong together, for schedulers that place them together,
// and what else such a scheduler reads. The key is a gang's, whether it is there or should be.
class GangReconciler : public controller::Reconciler {
 public:
  struct Options {
    int workers = 5;
    std::string scheduler;  // of sets that name none
    // Schedulers whose own objects the cluster has.
    std::vector<std::string> with_groups;
    bool topology = true;  // constraints of sets are handed to schedulers
  };
  // Registers itself with the manager; what is borrowed must outlive its Run.
  GangReconciler(controller::Manager& manager, const GroveCaches& caches, Options options);

  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override;

 private:
  using Cached = controller::Snapshot<GangFields>;
  // Objects of a scheduler, whole: what it wrote there must be kept.
  using SchedulerGroupFields =
      json::Projection<json::Field<"spec", json::View>, json::Field<"metadata.labels", json::View>,
                       json::Field<"metadata.annotations", json::View>,
                       json::Field<"metadata.ownerReferences", json::View>>;
  // A gang that should be there.
  struct Wanted {
    controller::ObjectPtr object;  // its set
    std::shared_ptr<const KnownSet> known;
    const SetFacts& set() const { return known->facts; }
    GangOutline gang;
    std::optional<WallTime> begun;  // when the youngest of its cliques was made
  };
  struct Scheduler {
    std::unique_ptr<Backend> backend;
    std::optional<controller::Cached<SchedulerGroupFields>> groups;
  };

  // Nothing: no set should have such a gang.
  Result<std::optional<Wanted>> Find(const kube::ObjectKey& key,
                                     const std::optional<Cached>& there) const;
  // The set that controls it, unless it is gone or goes.
  std::optional<controller::Snapshot<SetFields>> OwnerOfGang(const Cached& there) const;
  std::vector<PodFacts> PodsOf(const kube::ObjectKey& key) const;
  TopologyKey TopologyOf(const SetFacts& set) const;
  Status WriteStatus(controller::Pass& pass, const Cached& gang, bool whole) const;
  Status SyncScheduler(controller::Pass& pass, const Cached& gang,
                       const std::string& scheduler) const;

  Clock& clock_;
  const GroveCaches& caches_;
  const Options options_;
  std::map<std::string, Scheduler, std::less<>> schedulers_;
};

}  // namespace hearth::grove
