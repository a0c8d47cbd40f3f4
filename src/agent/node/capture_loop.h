#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/node/capture_run.h"
#include "agent/node/content_facts.h"
#include "agent/node/loop_context.h"
#include "agent/node/pod_facts.h"
#include "base/guarded.h"
#include "controller/cached.h"
#include "controller/manager.h"

namespace hearth::agent::node {

// Pods that the gate let through, one key each: releases what is Ready, captures the oldest order
// that is open, cancels what nobody wants any more. Everything is decided from the caches and the
// store, so whatever is lost on the way, the next pass finds it.
class CaptureLoop : public controller::Reconciler {
 public:
  CaptureLoop(controller::Manager& manager, controller::Cached<ContentFields> contents,
              controller::Cached<PodFields> sources, LoopContext context);

  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override;

 private:
  // What is remembered of a pod until it is gone.
  struct Known {
    std::string uid;
    std::set<std::string> said_ready;             // containers, by their own word
    std::set<std::string> awaited;                // containers whose word is waited for
    std::set<std::string> released;               // "content/container"
    std::map<std::string, std::string> captures;  // job key -> uid of the content
  };

  std::vector<ContentFacts> ContentsOf(const kube::ObjectKey& pod) const;
  void CancelUnwanted(const kube::ObjectKey& key, const std::optional<PodFacts>& pod,
                      const std::vector<ContentFacts>& contents);
  bool SaidReady(const PodFacts& pod, std::string_view target) const;
  bool WasCutOff(const PodFacts& pod, std::string_view target) const;
  void Ended(const kube::ObjectKey& pod, const std::string& job);
  Status ReleaseReady(const PodFacts& pod, const std::vector<ContentFacts>& contents);
  Result<controller::Outcome> Work(controller::Pass& pass, const ContentFacts& content,
                                   const PodFacts& pod);
  Result<controller::Outcome> Begin(const controller::Pass& pass, CaptureOrder order);
  bool InFlight(const std::string& job, const kube::ObjectKey& pod);
  void Wake(const std::string& job, const kube::ObjectKey& pod);
  void AwaitReady(const PodFacts& pod, const std::string& container_id);
  Status Fail(controller::Pass& pass, const ContentFacts& content, const PodFacts& pod,
              const CaptureDecision& decision);
  Status Unmark(controller::Pass& pass, const PodFacts& pod);

  const controller::Cached<ContentFields> contents_;
  const controller::Cached<PodFields> sources_;
  const LoopContext context_;
  controller::Controller* controller_ = nullptr;
  Guarded<std::map<kube::ObjectKey, Known>> known_;
  Guarded<std::map<std::string, std::set<kube::ObjectKey>>> waiting_;  // pods, for the end of a job
};

}  // namespace hearth::agent::node
