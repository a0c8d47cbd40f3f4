#include "agent/node/gate_loop.h"

#include <utility>

#include "agent/node/gate_decision.h"
#include "agent/node/removal.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/node_names.h"

namespace hearth::agent::node {
namespace {

using controller::Outcome;

}  // namespace

GateLoop::GateLoop(controller::Manager& manager, controller::Cached<ContentFields> contents,
                   controller::Cached<PodFields> sources, LoopContext context)
    : contents_(contents), sources_(sources), context_(std::move(context)) {
  // A pod that goes takes its open orders with it.
  const auto orders_of = [contents](const controller::CachedObject& pod,
                                    const controller::Enqueue& enqueue) {
    for (const auto& content : contents.Lookup(kByPod, pod.key().ToString())) {
      enqueue(content->key());
    }
  };
  manager.AddController({.name = "gate"}, *this).For(contents_).Watches(sources_, orders_of);
}

Result<Outcome> GateLoop::Reconcile(controller::Pass& pass, const kube::ObjectKey& key) {
  const auto cached = contents_.Get(key);
  if (!cached) {
    return Outcome::Done();
  }
  const ContentFacts content = ReadContent(**cached);
  if (content.deleting) {
    // Whose pod it was does not matter: another agent may be asked when that node's is gone.
    const bool asked = content.addressed_to == snapshot::NodeLabelValue(context_.options.node);
    return asked ? RemoveArtifact(pass, content) : Outcome::Done();
  }
  return PassGate(pass, content);
}

// Pods that are marked already are looked after by the capture loop.
std::optional<PodFacts> GateLoop::Marked(const ContentFacts& content) const {
  const auto cached = sources_.Get(content.pod());
  if (!cached) {
    return std::nullopt;
  }
  PodFacts pod = ReadPod(**cached);
  const bool marked = pod.Label(snapshot::kEligibleLabel) == "true";
  return marked ? std::optional(std::move(pod)) : std::nullopt;
}

Result<Outcome> GateLoop::PassGate(controller::Pass& pass, const ContentFacts& content) {
  if (content.node != context_.options.node || content.terminal() || Marked(content)) {
    return Outcome::Done();
  }
  const auto live = context_.client.Get(kube::types::Pods(), content.pod(), pass.limit());
  if (!live.ok() && !live.status().Is(Code::kNotFound)) {
    return live.status();
  }
  const auto pod = live.ok() ? std::optional(ReadPod(live->view())) : std::nullopt;
  const GateDecision decision = DecideGate(content, pod ? &*pod : nullptr, context_.options.node);
  if (decision.action == GateDecision::Action::kMarkEligible) {
    RETURN_IF_ERROR(Mark(pass, *pod));
  } else if (decision.action == GateDecision::Action::kFail) {
    RETURN_IF_ERROR(
        FailOrder(context_, content, pod ? &*pod : nullptr, decision.reason, decision.message));
  }
  return Outcome::Done();
}

Status GateLoop::Mark(controller::Pass& pass, const PodFacts& pod) {
  json::Value patch;
  patch["metadata"].Set("uid", pod.uid);  // this very pod, not the next of its name
  patch["metadata"]["labels"].Set(snapshot::kEligibleLabel, "true");
  const std::string body = patch.Write();
  ASSIGN_OR_RETURN(const kube::Object patched,
                   context_.client.Patch(kube::types::Pods(), pod.key, kube::PatchType::kMerge,
                                         json::View::Trusted(body), pass.limit()));
  pass.Wrote(kube::types::Pods(), patched);
  return {};
}

Result<Outcome> GateLoop::RemoveArtifact(controller::Pass& pass, const ContentFacts& content) {
  if (!content.artifact_wanted_gone || content.artifact_deleted) {
    return Outcome::Done();
  }
  const auto pod = Marked(content);
  const RemovalAim aim = FindRemovalAim(content, pod ? &*pod : nullptr);
  if (!aim.checkpoint_id.empty() && context_.jobs.Running(CaptureJobKey(aim.checkpoint_id))) {
    // It is being cancelled; what it may have stored shows when it has ended.
    return Outcome::After(std::chrono::seconds(1));
  }
  const RemovalAnswer answer = Remove(context_.work, content, aim, pass.limit());
  RETURN_IF_ERROR(context_.contents.SetArtifactDeleted(content, answer.failure.ok(), answer.reason,
                                                       answer.message, pass.limit()));
  RETURN_IF_ERROR(answer.failure);
  return Outcome::Done();
}

}  // namespace hearth::agent::node
