#include "agent/node/restore_loop.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "agent/node/either_stop.h"
#include "base/strings.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/targets.h"

namespace hearth::agent::node {
namespace {

using controller::EventType;
using controller::Outcome;
using Action = RestoreDecision::Action;

std::string ResolveJobKey(const PodFacts& pod, std::string_view target) {
  return fmt::format("resolve/{}/{}/{}", pod.key.ToString(), pod.uid, target);
}

Status PodGone(const kube::ObjectKey& pod) {
  return CancelledError(fmt::format("pod {} went away while it was restored", pod.ToString()));
}

// What a target says of itself. `told`: what is written for its container already.
std::string_view WordFor(Action action, bool in_flight, std::string_view told) {
  switch (action) {
    case Action::kStart:
    case Action::kLetGo:
      return snapshot::kInProgress;
    case Action::kRefuse:
    case Action::kFail:
      return snapshot::kFailed;
    case Action::kWait:
    case Action::kResolve:
      return snapshot::kWaiting;
    case Action::kNothing:
      break;
  }
  if (in_flight) {
    return snapshot::kInProgress;
  }
  return told.empty() ? snapshot::kWaiting : told;
}

}  // namespace

RestoreLoop::RestoreLoop(controller::Manager& manager, controller::Cached<PodFields> pods,
                         LoopContext context)
    : pods_(pods), context_(std::move(context)) {
  controller_ =
      &manager.AddController({.name = "restore", .workers = 4}, *this).For(pods_).controller();
}

Result<Outcome> RestoreLoop::Reconcile(controller::Pass& pass, const kube::ObjectKey& key) {
  const auto cached = pods_.Get(key);
  if (!cached) {
    Forget(key);
    return Outcome::Done();
  }
  const PodFacts pod = ReadPod(**cached);
  if (!ConcernsRestore(pod, context_.options.node)) {
    Forget(key);
    return Outcome::Done();
  }
  const Known known = Recall(pod);
  Plan plan = MakePlan(pod, known);
  RETURN_IF_ERROR(Write(pass, pod, plan));
  for (RestoreOrder& order : plan.begin) {
    Begin(std::move(order));
  }
  for (const std::string& target : plan.resolve) {
    Resolve(pod, target);
  }
  return plan.look_again ? Outcome::After(context_.options.look_again) : Outcome::Done();
}

// What was remembered of another pod of the name is dropped, and what runs for it cancelled. What
// the annotations show needs no memory.
RestoreLoop::Known RestoreLoop::Recall(const PodFacts& pod) {
  {
    const auto table = known_.Lock();
    const auto found = table->find(pod.key);
    if (found == table->end() || found->second.uid == pod.uid) {
      Known& known = (*table)[pod.key];
      known.uid = pod.uid;
      return known;
    }
  }
  Forget(pod.key);
  Known known;
  known.uid = pod.uid;
  (*known_.Lock())[pod.key] = known;
  return known;
}

void RestoreLoop::Forget(const kube::ObjectKey& key) {
  std::set<std::string> jobs;
  {
    const auto table = known_.Lock();
    const auto found = table->find(key);
    if (found == table->end()) {
      return;
    }
    jobs = std::move(found->second.jobs);
    table->erase(found);
  }
  for (const std::string& job : jobs) {
    context_.jobs.Cancel(job, PodGone(key));
  }
}

RestoreLoop::Plan RestoreLoop::MakePlan(const PodFacts& pod, const Known& known) {
  Plan plan;
  const auto refuse = [&](const Status& why) {
    plan.words = {std::string(snapshot::kFailed)};
    plan.messages = {std::string(why.message())};
    plan.refused = true;
    return plan;
  };
  const auto aim = FindRestoreAim(pod);
  if (!aim.ok()) {
    return refuse(aim.status());
  }
  auto stored = context_.work.Look(aim->checkpoint_id, aim->version);
  if (stored.status().Is(Code::kInvalid)) {
    return refuse(stored.status());
  }
  if (!stored.ok()) {
    plan.messages.push_back(fmt::format("the store cannot be read: {}", stored.status().message()));
    stored = NodeWork::Stored{};
  }
  for (const std::string& target : aim->targets) {
    PlanTarget(pod, *aim, target, *stored, known, plan);
  }
  if (plan.ended) {
    plan.proofs = ProofsOf(pod.key);
  }
  return plan;
}

void RestoreLoop::PlanTarget(const PodFacts& pod, const RestoreAim& aim, const std::string& target,
                             const NodeWork::Stored& stored, const Known& known, Plan& plan) {
  const auto resolved = known.resolved.find(target);
  const std::string resolved_id = resolved == known.resolved.end() ? "" : resolved->second;
  const std::string id = ContainerIdOf(pod, target, resolved_id);
  const std::string job = RestoreJobKey(pod.key, target, id);
  // In this order: a job that does not run any more has left its end behind.
  const bool in_flight = !id.empty() && context_.jobs.Running(job);
  if (const auto end = TakeEnd(pod, job, RestoreStatusOf(pod, target, id))) {
    plan.Annotate(target, end->word, id);
    plan.Say(target, end->word, end->message);
    plan.ended = true;
    return;
  }
  // Asked only of what an agent before this one has begun.
  const bool noted = !in_flight && RestoreStatusOf(pod, target, id) == snapshot::kInProgress &&
                     context_.work.IsNotedRestored(id, aim.checkpoint_id, aim.version);
  const RestoreDecision decision =
      DecideRestore({pod, aim, target, resolved_id, stored, in_flight,
                     context_.options.needs_pod_ip, context_.options.other_namespaces, noted});
  if (decision.action == Action::kStart || decision.action == Action::kLetGo) {
    plan.Annotate(target, snapshot::kInProgress, id);
    plan.begin.push_back({pod, aim, target, id, stored.bytes, decision.action == Action::kLetGo});
  } else if (decision.action == Action::kResolve) {
    plan.resolve.push_back(target);
  } else if (decision.action == Action::kFail) {
    plan.Annotate(target, snapshot::kFailed, id);
  }
  plan.refused = plan.refused || decision.action == Action::kRefuse;
  plan.look_again =
      plan.look_again || decision.action == Action::kWait || decision.action == Action::kResolve;
  plan.Say(target, WordFor(decision.action, in_flight, RestoreStatusOf(pod, target, id)),
           decision.message);
}

// How a job ended, until the annotations tell it.
std::optional<RestoreEnd> RestoreLoop::TakeEnd(const PodFacts& pod, const std::string& job,
                                               std::string_view told) {
  const auto table = known_.Lock();
  const auto found = table->find(pod.key);
  if (found == table->end()) {
    return std::nullopt;
  }
  auto& ended = found->second.ended;
  const auto end = ended.find(job);
  if (end == ended.end()) {
    return std::nullopt;
  }
  RestoreEnd taken = end->second;
  if (told == taken.word) {
    ended.erase(end);
  }
  return taken;
}

// As of now: what has just ended has left its proof.
std::vector<RestoreProof> RestoreLoop::ProofsOf(const kube::ObjectKey& pod) {
  std::vector<RestoreProof> proofs;
  const auto table = known_.Lock();
  const auto found = table->find(pod);
  if (found != table->end()) {
    for (const auto& [target, proof] : found->second.proofs) {
      proofs.push_back(proof);
    }
  }
  return proofs;
}

void RestoreLoop::Plan::Annotate(std::string_view target, std::string_view word,
                                 const std::string& container_id) {
  const auto keys = snapshot::KeysOfTarget(target);  // checked by FindRestoreAim
  annotations[keys->status] = word;
  annotations[keys->container_id] = container_id;
}

void RestoreLoop::Plan::Say(const std::string& target, std::string_view word,
                            const std::string& message) {
  words.emplace_back(word);
  if (!message.empty()) {
    messages.push_back(target + ": " + message);
  }
}

// Only what differs; nothing when nothing does.
Status RestoreLoop::Write(controller::Pass& pass, const PodFacts& pod, const Plan& plan) {
  std::map<std::string, std::string> wanted = plan.annotations;
  const std::string sum = SumUp(plan.words);
  const std::string message = Excerpt(Join(plan.messages, "; "), 1000);
  wanted[std::string(snapshot::kRestoreStatusAnnotation)] = sum;
  json::Value annotations = json::Value::Object();
  for (const auto& [key, value] : wanted) {
    if (pod.Annotation(key) != value) {
      annotations.Set(key, value);
    }
  }
  for (const auto& [key, value] : StartAnnotations(sum, plan.proofs)) {
    if (pod.Annotation(key) != value.value_or("")) {
      annotations.Set(key, value ? json::Value(*value) : json::Value());
    }
  }
  // Why it failed stays until there is something else to say.
  const bool keep = message.empty() && sum == snapshot::kFailed;
  const bool news = !keep && pod.Annotation(snapshot::kRestoreMessageAnnotation) != message;
  if (news) {
    annotations.Set(snapshot::kRestoreMessageAnnotation,
                    message.empty() ? json::Value() : json::Value(message));
  }
  if (annotations.members().empty()) {
    return {};
  }
  json::Value patch;
  patch["metadata"].Set("uid", pod.uid);
  patch["metadata"].Set("annotations", std::move(annotations));
  const std::string body = patch.Write();
  auto patched = context_.client.Patch(kube::types::Pods(), pod.key, kube::PatchType::kMerge,
                                       json::View::Trusted(body), pass.limit());
  RETURN_IF_ERROR(patched.status());
  pass.Wrote(kube::types::Pods(), *patched);
  if (news && !message.empty() && plan.refused) {
    context_.Tell(pod, EventType::kWarning, event::kRestoreRejected, message);
  } else if (news && !message.empty() && sum == snapshot::kWaiting) {
    context_.Tell(pod, EventType::kNormal, event::kRestoreWaiting, message);
  }
  return {};
}

void RestoreLoop::Begin(RestoreOrder given) {
  const auto order = std::make_shared<const RestoreOrder>(std::move(given));
  const std::string job = RestoreJobKey(order->pod.key, order->target, order->container_id);
  {
    const auto table = known_.Lock();
    const auto found = table->find(order->pod.key);
    if (found == table->end() || found->second.uid != order->pod.uid) {
      return;
    }
    found->second.jobs.insert(job);
  }
  const bool begun = context_.jobs.Start(
      job,
      [this, order, job](const std::stop_token& stop) {
        auto end = RunRestore(context_, *order, stop);
        const auto table = known_.Lock();
        const auto found = table->find(order->pod.key);
        if (found == table->end() || found->second.uid != order->pod.uid) {
          return;
        }
        found->second.jobs.erase(job);
        if (end && end->proof) {
          found->second.proofs[order->target] = *end->proof;
        }
        if (end) {
          found->second.ended[job] = *std::move(end);
        }
      },
      [this, order] { controller_->Enqueue(order->pod.key); });
  if (begun && !order->restored) {
    context_.Tell(order->pod, EventType::kNormal, event::kRestoreRequested,
                  fmt::format("container {} is restored from checkpoint {} version {}",
                              order->target, order->aim.checkpoint_id, order->aim.version));
  }
}

// The kubelet may tell of a container seconds after the runtime has started it.
void RestoreLoop::Resolve(const PodFacts& pod, const std::string& target) {
  const std::string job = ResolveJobKey(pod, target);
  {
    const auto table = known_.Lock();
    const auto found = table->find(pod.key);
    if (found != table->end()) {
      found->second.jobs.insert(job);
    }
  }
  context_.jobs.Start(job, [this, pod, target](const std::stop_token& stop) {
    const EitherStop waiting(stop, context_.jobs.closing());
    const WaitLimit limit =
        WaitLimit::For(context_.clock, context_.options.resolve_timeout, waiting.token());
    const auto found =
        context_.work.FindContainer({pod.uid, pod.key.name, pod.key.name_space, target}, limit);
    if (found.ok()) {
      Resolved(pod, target, *found);
    } else {
      context_.logger.Debug("the runtime does not know the container yet",
                            {{"pod", pod.key.ToString()},
                             {"container", target},
                             {"cause", found.status().ToString()}});
    }
  });
}

// The pod may have ended, or be another, since it was last looked at.
void RestoreLoop::Resolved(const PodFacts& pod, const std::string& target,
                           const std::string& container_id) {
  const auto live = context_.client.Get(kube::types::Pods(), pod.key, context_.TailLimit());
  if (!live.ok()) {
    return;
  }
  const PodFacts now = ReadPod(live->view());
  if (now.uid != pod.uid || !ConcernsRestore(now, context_.options.node)) {
    return;
  }
  {
    const auto table = known_.Lock();
    const auto found = table->find(pod.key);
    if (found == table->end() || found->second.uid != pod.uid) {
      return;
    }
    found->second.resolved[target] = container_id;
  }
  controller_->Enqueue(pod.key);
}

}  // namespace hearth::agent::node
