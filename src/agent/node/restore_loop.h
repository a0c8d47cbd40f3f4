#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/node/loop_context.h"
#include "agent/node/pod_facts.h"
#include "agent/node/restore_decision.h"
#include "agent/node/restore_run.h"
#include "agent/node/start_proof.h"
#include "base/guarded.h"
#include "controller/cached.h"
#include "controller/manager.h"

namespace hearth::agent::node {

// Pods that want to be restored into, one key each. A pass looks at every target, writes all that
// the pod's annotations should say in one patch, and only then begins what is to be begun: who
// finds "in_progress" after a crash knows that it may have been touched. The annotations are
// written here and nowhere else.
class RestoreLoop : public controller::Reconciler {
 public:
  RestoreLoop(controller::Manager& manager, controller::Cached<PodFields> pods,
              LoopContext context);

  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override;

 private:
  // What is remembered of a pod until it is gone.
  struct Known {
    std::string uid;
    std::map<std::string, std::string> resolved;  // target -> container, by the runtime
    std::map<std::string, RestoreEnd> ended;      // job key -> not yet seen in the annotations
    std::map<std::string, RestoreProof> proofs;   // target -> of the container restored last
    std::set<std::string> jobs;                   // begun, perhaps over
  };
  // What one pass is about to do.
  struct Plan {
    std::map<std::string, std::string> annotations;
    std::vector<std::string> words;     // of the targets, see SumUp
    std::vector<std::string> messages;  // for people
    std::vector<RestoreProof> proofs;   // of the targets, when one has ended
    std::vector<RestoreOrder> begin;
    std::vector<std::string> resolve;  // targets
    bool ended = false;                // something has, which the annotations may not tell yet
    bool refused = false;
    bool look_again = false;

    void Annotate(std::string_view target, std::string_view word, const std::string& container_id);
    void Say(const std::string& target, std::string_view word, const std::string& message);
  };

  Known Recall(const PodFacts& pod);
  void Forget(const kube::ObjectKey& key);
  Plan MakePlan(const PodFacts& pod, const Known& known);
  void PlanTarget(const PodFacts& pod, const RestoreAim& aim, const std::string& target,
                  const NodeWork::Stored& stored, const Known& known, Plan& plan);
  std::optional<RestoreEnd> TakeEnd(const PodFacts& pod, const std::string& job,
                                    std::string_view told);
  std::vector<RestoreProof> ProofsOf(const kube::ObjectKey& pod);
  Status Write(controller::Pass& pass, const PodFacts& pod, const Plan& plan);
  void Begin(RestoreOrder order);
  void Resolve(const PodFacts& pod, const std::string& target);
  void Resolved(const PodFacts& pod, const std::string& target, const std::string& container_id);

  const controller::Cached<PodFields> pods_;
  const LoopContext context_;
  controller::Controller* controller_ = nullptr;
  Guarded<std::map<kube::ObjectKey, Known>> known_;
};

}  // namespace hearth::agent::node
