#include "agent/node/capture_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "agent/node/either_stop.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/lease_names.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent::node {
namespace {

using controller::Outcome;

std::string ReadyJobKey(std::string_view container_id) {
  return fmt::format("ready/{}", container_id);
}

Status PodGone(const kube::ObjectKey& pod) {
  return {Code::kCancelled, std::string(snapshot::reason::kSourcePodGone),
          fmt::format("pod {} went away while it was captured", pod.ToString())};
}

Status OrderGone(const kube::ObjectKey& pod) {
  return {Code::kCancelled, std::string(snapshot::reason::kCheckpointFailed),
          fmt::format("the order to capture pod {} was withdrawn", pod.ToString())};
}

bool IsWanted(const std::string& content_uid, const std::vector<ContentFacts>& contents) {
  return std::any_of(contents.begin(), contents.end(), [&](const ContentFacts& content) {
    return content.uid == content_uid && !content.deleting && !content.failed;
  });
}

}  // namespace

CaptureLoop::CaptureLoop(controller::Manager& manager, controller::Cached<ContentFields> contents,
                         controller::Cached<PodFields> sources, LoopContext context)
    : contents_(contents), sources_(sources), context_(std::move(context)) {
  const auto pod_of = [](const controller::CachedObject& content,
                         const controller::Enqueue& enqueue) {
    enqueue(ReadContent(content).pod());
  };
  controller_ = &manager.AddController({.name = "capture"}, *this)
                     .For(sources_)
                     .Watches(contents_, pod_of)
                     .controller();
}

Result<Outcome> CaptureLoop::Reconcile(controller::Pass& pass, const kube::ObjectKey& key) {
  const auto cached = sources_.Get(key);
  const auto pod = cached ? std::optional(ReadPod(**cached)) : std::nullopt;
  const std::vector<ContentFacts> contents = ContentsOf(key);
  CancelUnwanted(key, pod, contents);
  // The label is what chose the pod; a cache without the selector would show others, too.
  if (!pod || pod->Label(snapshot::kEligibleLabel) != "true") {
    return Outcome::Done();
  }
  RETURN_IF_ERROR(ReleaseReady(*pod, contents));
  const ContentFacts* const order = ChooseOrder(contents);
  if (order == nullptr) {
    return Outcome::Done();
  }
  return Work(pass, *order, *pod);
}

std::vector<ContentFacts> CaptureLoop::ContentsOf(const kube::ObjectKey& pod) const {
  std::vector<ContentFacts> contents;
  for (const auto& content : contents_.Lookup(kByPod, pod.ToString())) {
    contents.push_back(ReadContent(*content));
  }
  return contents;
}

void CaptureLoop::CancelUnwanted(const kube::ObjectKey& key, const std::optional<PodFacts>& pod,
                                 const std::vector<ContentFacts>& contents) {
  Known known;
  {
    const auto table = known_.Lock();
    const auto found = table->find(key);
    if (found == table->end()) {
      return;
    }
    known = found->second;
  }
  const bool same_pod = pod && pod->uid == known.uid;
  const bool pod_goes = !same_pod || pod->deleting;
  for (const auto& [job, content_uid] : known.captures) {
    if (pod_goes) {
      context_.jobs.Cancel(job, PodGone(key));
    } else if (!IsWanted(content_uid, contents)) {
      context_.jobs.Cancel(job, OrderGone(key));
    }
  }
  if (!same_pod) {
    for (const std::string& container : known.awaited) {
      context_.jobs.Cancel(ReadyJobKey(container), PodGone(key));
    }
    known_.Lock()->erase(key);
  }
}

Status CaptureLoop::ReleaseReady(const PodFacts& pod, const std::vector<ContentFacts>& contents) {
  for (const ContentFacts& content : contents) {
    const auto container = FindReleasable(content, pod);
    if (!container) {
      continue;
    }
    const std::string done = content.uid + "/" + *container;
    {
      const auto table = known_.Lock();
      Known& known = (*table)[pod.key];
      known.uid = pod.uid;
      if (known.released.count(done) > 0) {
        continue;
      }
    }
    const Status written = context_.work.WriteSentinel(*container, snapshot::kSnapshotCompleteFile);
    if (!written.ok()) {
      RETURN_IF_ERROR(context_.Kill(*container));
      return written.WithContext("release container " + *container);
    }
    (*known_.Lock())[pod.key].released.insert(done);
  }
  return {};
}

Result<Outcome> CaptureLoop::Work(controller::Pass& pass, const ContentFacts& content,
                                  const PodFacts& pod) {
  auto aim = FindAim(content, pod);
  // Asked before the store: a job that does not run any more has stored what it could.
  const bool in_flight = aim.ok() && InFlight(CaptureJobKey(aim->checkpoint_id), pod.key);
  NodeWork::Stored stored;
  if (aim.ok()) {
    auto looked = context_.work.Look(aim->checkpoint_id, aim->version);
    if (looked.status().Is(Code::kInvalid)) {
      aim = looked.status().WithReason(snapshot::reason::kInvalidDestination);
    } else {
      RETURN_IF_ERROR(looked.status());
      stored = *std::move(looked);
    }
  }
  const CaptureDecision decision = DecideCapture(
      {content, pod, context_.options.node, aim, stored, in_flight,
       aim.ok() && SaidReady(pod, aim->target), context_.work.WasCutOff(content.uid, ""),
       aim.ok() && WasCutOff(pod, aim->target)});
  switch (decision.action) {
    case CaptureDecision::Action::kNothing:
      return Outcome::Done();
    case CaptureDecision::Action::kAwaitReady:
      AwaitReady(pod, decision.container_id);
      return Outcome::Done();
    case CaptureDecision::Action::kFail:
      RETURN_IF_ERROR(Fail(pass, content, pod, decision));
      return Outcome::Done();
    case CaptureDecision::Action::kFinish:
      RETURN_IF_ERROR(FinishCapture(context_, {content, pod, *aim, decision.container_id},
                                    {aim->checkpoint_id, aim->version, stored.stored_bytes,
                                     stored.root_digest, stored.cold_start}));
      return Outcome::Done();
    case CaptureDecision::Action::kCapture:
      return Begin(pass, {content, pod, *aim, decision.container_id});
  }
  return Outcome::Done();
}

Result<Outcome> CaptureLoop::Begin(const controller::Pass& pass, CaptureOrder order) {
  const std::vector<kube::ObjectKey> leases = {
      {order.content.snapshot.name_space, snapshot::CaptureLeaseName(order.aim.checkpoint_id)},
      {context_.options.name_space,
       snapshot::ArtifactLeaseName(order.aim.checkpoint_id, order.aim.version)}};
  ASSIGN_OR_RETURN(CaptureLeases::Attempt attempt, context_.leases.Take(leases, pass.limit()));
  if (attempt.held == nullptr) {
    pass.log().Info("another agent has the lease of the checkpoint",
                    {{"checkpoint", order.aim.checkpoint_id}, {"holder", attempt.holder}});
    return Outcome::After(attempt.retry_after);
  }
  const std::string job = CaptureJobKey(order.aim.checkpoint_id);
  {
    const auto table = known_.Lock();
    Known& known = (*table)[order.pod.key];
    known.uid = order.pod.uid;
    known.captures[job] = order.content.uid;
  }
  const std::shared_ptr<HeldLeases> held = std::move(attempt.held);
  const auto shared_order = std::make_shared<const CaptureOrder>(std::move(order));
  const bool started = context_.jobs.Start(
      job,
      [=, this](const std::stop_token& stop) {
        RunCapture(context_, *shared_order, *held, stop);
        Ended(shared_order->pod.key, job);
      },
      [=, this] { Wake(job, shared_order->pod.key); });
  if (!started) {
    return held->Release(pass.limit()).ok() ? Outcome::Done()
                                            : Outcome::After(context_.options.lease_duration);
  }
  return Outcome::Done();
}

// Another pod may have the same id; it is looked at again when the capture has ended.
bool CaptureLoop::InFlight(const std::string& job, const kube::ObjectKey& pod) {
  // Entered first: who ends between the two finds it.
  (*waiting_.Lock())[job].insert(pod);
  if (context_.jobs.Running(job)) {
    return true;
  }
  const auto waiting = waiting_.Lock();
  const auto found = waiting->find(job);
  if (found != waiting->end() && found->second.erase(pod) > 0 && found->second.empty()) {
    waiting->erase(found);
  }
  return false;
}

void CaptureLoop::Wake(const std::string& job, const kube::ObjectKey& pod) {
  std::set<kube::ObjectKey> pods = {pod};
  {
    const auto waiting = waiting_.Lock();
    const auto found = waiting->find(job);
    if (found != waiting->end()) {
      pods.merge(found->second);
      waiting->erase(found);
    }
  }
  for (const kube::ObjectKey& each : pods) {
    controller_->Enqueue(each);
  }
}

void CaptureLoop::AwaitReady(const PodFacts& pod, const std::string& container_id) {
  if (container_id.empty()) {
    return;
  }
  {
    const auto table = known_.Lock();
    Known& known = (*table)[pod.key];
    known.uid = pod.uid;
    known.awaited.insert(container_id);
  }
  context_.jobs.Start(
      ReadyJobKey(container_id), [this, key = pod.key, container_id](const std::stop_token& stop) {
        const EitherStop waiting(stop, context_.jobs.closing());
        const Status ready = context_.work.WaitForSentinel(container_id, "", snapshot::kReadyFile,
                                                           {.stop = waiting.token()});
        if (!ready.ok()) {
          // Its readiness probe tells the same, only later.
          context_.logger.Debug("cannot see the workload's own word",
                                {{"pod", key.ToString()}, {"cause", ready.ToString()}});
          return;
        }
        const auto table = known_.Lock();
        const auto found = table->find(key);
        if (found != table->end() && found->second.awaited.count(container_id) > 0) {
          found->second.said_ready.insert(container_id);
          controller_->Enqueue(key);
        }
      });
}

bool CaptureLoop::WasCutOff(const PodFacts& pod, std::string_view target) const {
  const ContainerFacts* const container = pod.Container(target);
  return container != nullptr && context_.work.WasCutOff("", container->id);
}

bool CaptureLoop::SaidReady(const PodFacts& pod, std::string_view target) const {
  const ContainerFacts* const container = pod.Container(target);
  const auto table = known_.Lock();
  const auto found = table->find(pod.key);
  return container != nullptr && found != table->end() && found->second.uid == pod.uid &&
         found->second.said_ready.count(container->id) > 0;
}

void CaptureLoop::Ended(const kube::ObjectKey& pod, const std::string& job) {
  const auto table = known_.Lock();
  const auto found = table->find(pod);
  if (found != table->end()) {
    found->second.captures.erase(job);
  }
}

Status CaptureLoop::Fail(controller::Pass& pass, const ContentFacts& content, const PodFacts& pod,
                         const CaptureDecision& decision) {
  Status first;
  for (const std::string& container : decision.kill) {
    const Status killed = context_.Kill(container);
    first = first.ok() ? killed : first;
  }
  RETURN_IF_ERROR(FailOrder(context_, content, &pod, decision.reason, decision.message));
  if (decision.unmark) {
    RETURN_IF_ERROR(Unmark(pass, pod));
  }
  return first;
}

// Best effort for a pod that goes anyway; of one that stays, the next order marks it again.
Status CaptureLoop::Unmark(controller::Pass& pass, const PodFacts& pod) {
  json::Value patch;
  patch["metadata"].Set("uid", pod.uid);
  patch["metadata"]["labels"].Set(snapshot::kEligibleLabel, nullptr);
  const std::string body = patch.Write();
  auto patched = context_.client.Patch(kube::types::Pods(), pod.key, kube::PatchType::kMerge,
                                       json::View::Trusted(body), pass.limit());
  if (patched.status().Is(Code::kNotFound) || patched.status().Is(Code::kConflict)) {
    return {};
  }
  RETURN_IF_ERROR(patched.status());
  pass.Wrote(kube::types::Pods(), *patched);
  return {};
}

}  // namespace hearth::agent::node
