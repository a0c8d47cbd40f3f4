#pragma once

#include <optional>

#include "agent/node/capture_run.h"
#include "agent/node/content_facts.h"
#include "agent/node/loop_context.h"
#include "agent/node/pod_facts.h"
#include "controller/cached.h"
#include "controller/manager.h"

namespace hearth::agent::node {

// Orders of this node, one key each: marks their pods as eligible or gives them up, and deletes the
// artifact of an order that goes with it. Never captures.
class GateLoop : public controller::Reconciler {
 public:
  GateLoop(controller::Manager& manager, controller::Cached<ContentFields> contents,
           controller::Cached<PodFields> sources, LoopContext context);

  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override;

 private:
  Result<controller::Outcome> PassGate(controller::Pass& pass, const ContentFacts& content);
  Result<controller::Outcome> RemoveArtifact(controller::Pass& pass, const ContentFacts& content);
  std::optional<PodFacts> Marked(const ContentFacts& content) const;
  Status Mark(controller::Pass& pass, const PodFacts& pod);

  const controller::Cached<ContentFields> contents_;
  const controller::Cached<PodFields> sources_;
  const LoopContext context_;
};

}  // namespace hearth::agent::node
