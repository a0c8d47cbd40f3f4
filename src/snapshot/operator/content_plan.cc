#include "snapshot/operator/content_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/duration.h"
#include "snapshot/operator/resources.h"
#include "snapshot/operator/snapshot_plan.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/node_names.h"

namespace hearth::snapshot {
namespace {

using State = ContentState;
using Step = ContentStep;
using Agent = AgentSight::Kind;

ContentPlan In(State state, std::string message = "") {
  ContentPlan plan;
  plan.state = state;
  plan.message = std::move(message);
  return plan;
}

ContentPlan Unless(bool certain, ContentDoubt doubt, ContentPlan plan) {
  plan.doubt = certain ? ContentDoubt::kNone : doubt;
  return plan;
}

ContentPlan LookingAgain(ContentPlan plan, Duration after) {
  const Duration at_least = std::max(after, Duration(std::chrono::milliseconds(1)));
  plan.look_again = std::min(plan.look_again.value_or(at_least), at_least);
  return plan;
}

std::string Artifact(const ContentFacts& content) {
  const std::string key = ArtifactKey(content.artifact.checkpoint_id, content.artifact.version);
  return key.empty() ? "the artifact" : fmt::format("artifact {}", key);
}

bool Answered(const ContentFacts& content) {
  return content.artifact_deleted.has_value() && content.artifact_deleted->status == "True";
}

// Failed by the operator, because the agent was not heard of: it may have stored something before.
bool FailedUnheard(const ContentFacts& content) {
  const std::string& reason = content.failed->reason;
  return reason == reason::kAgentLost || reason == reason::kNodeLost ||
         reason == reason::kDeadlineExceeded;
}

// Failed and never Ready: an agent that failed has cleaned up after itself.
bool StoredNothing(const ContentFacts& content) {
  return content.is_failed() && !content.is_ready() && content.artifact.checkpoint_id.empty() &&
         !FailedUnheard(content);
}

std::string WhyAbandoned(const ContentWorld& world) {
  const auto& answer = world.content.artifact_deleted;
  const std::string why =
      answer.has_value() ? answer->reason + ": " + answer->message : "no agent answered";
  return fmt::format(
      "{} was not deleted within {} ({}); it stays in the store until it is "
      "collected there",
      Artifact(world.content), FormatDuration(world.limits.delete_timeout), why);
}

// Handed to an agent, which answers; never for longer than the limit.
ContentPlan Handed(const ContentWorld& world) {
  const Duration left =
      world.content.deletion_asked.value_or(world.now) + world.limits.delete_timeout - world.now;
  if (left <= Duration::zero()) {
    return In(State::kDeletedOverdue, WhyAbandoned(world));
  }
  if (world.agent.kind != Agent::kAlive && !world.other_agent.empty()) {
    return In(State::kDeletedAgentSilent, fmt::format("{} is to be deleted by the agent of node {}",
                                                      Artifact(world.content), world.other_agent));
  }
  // Where no agent is alive, one may come back that this content is not addressed to.
  const Duration next = world.agent.kind == Agent::kAlive
                            ? world.agent.next_look
                            : Duration(std::chrono::seconds(kAgentLeaseSeconds));
  return LookingAgain(LookingAgain(In(State::kDeletedAsked), left), next);
}

ContentPlan Deleted(const ContentWorld& world) {
  const ContentFacts& content = world.content;
  if (!content.held) {
    return In(State::kDeletedUnheld);
  }
  if (content.policy == DeletionPolicy::kRetain) {
    return In(State::kDeletedRetained);
  }
  if (Answered(content)) {
    return In(State::kDeletedAnswered, content.artifact_deleted->message);
  }
  if (StoredNothing(content)) {
    return In(State::kDeletedNothingStored);
  }
  if (world.artifact_is_shared) {
    return In(State::kDeletedShared,
              fmt::format("{} stays: another content has it, too", Artifact(content)));
  }
  return Handed(world);
}

// Only what the operator itself made: what others made is theirs to remove.
bool IsOrphan(const ContentWorld& world) {
  const ContentFacts& content = world.content;
  return !world.snapshot.has_value() && !content.pre_provisioned() &&
         content.name == ContentNameOf(content.spec.snapshot.uid);
}

// An administrator's own content says itself what becomes of it.
bool PolicyDiffers(const ContentWorld& world) {
  return world.snapshot.has_value() && !world.content.pre_provisioned() &&
         world.content.policy != world.snapshot->policy;
}

// What a capture that is not finished must be saved from.
ContentPlan Unfinished(const ContentWorld& world) {
  const std::string& node = world.content.spec.source.node_name;
  if (!world.node_exists) {
    return Unless(world.node_is_certain, ContentDoubt::kNode,
                  In(State::kNodeLost, fmt::format("node {} is gone, and the pod with it", node)));
  }
  const Duration silence_left = world.limits.agent_grace - world.agent.silent_for;
  if (world.agent.kind == Agent::kSilent && silence_left <= Duration::zero()) {
    return In(State::kAgentLost,
              fmt::format("the snapshot agent of node {} has been silent for {}; see whether node "
                          "and agent run, then create the PodSnapshot anew",
                          node,
                          FormatDuration(
                              std::chrono::floor<std::chrono::seconds>(world.agent.silent_for))));
  }
  ContentPlan plan = In(State::kWorkedOn);
  if (world.agent.kind != Agent::kUnknown) {
    plan = LookingAgain(std::move(plan),
                        world.agent.kind == Agent::kSilent ? silence_left : world.agent.next_look);
  }
  const auto deadline = world.snapshot.has_value()
                            ? CaptureDeadline(*world.snapshot, world.limits.deadline)
                            : std::nullopt;
  if (deadline.has_value() && *deadline <= world.now) {
    return In(State::kOverdue, "the pod was not captured in time");
  }
  return deadline.has_value() ? LookingAgain(std::move(plan), *deadline - world.now) : plan;
}

ContentPlan Find(const ContentWorld& world) {
  const ContentFacts& content = world.content;
  if (content.deleting) {
    return Deleted(world);
  }
  if (IsOrphan(world)) {
    return Unless(world.snapshot_is_certain, ContentDoubt::kSnapshot,
                  In(State::kOrphaned,
                     fmt::format("PodSnapshot {}/{} is gone", content.spec.snapshot.name_space,
                                 content.spec.snapshot.name)));
  }
  if (PolicyDiffers(world)) {
    return In(State::kPolicyDiffers);
  }
  const bool wants_finalizer = content.policy == DeletionPolicy::kDelete;
  if (wants_finalizer != content.held) {
    return In(wants_finalizer ? State::kFinalizerMissing : State::kFinalizerNeedless);
  }
  // Nobody captures for a content that an administrator made.
  const bool finished = content.is_ready() || content.is_failed() || content.pre_provisioned();
  return finished ? In(State::kFinished) : Unfinished(world);
}

const ContentRow& RowOf(State state) {
  const auto& table = ContentTable();
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const ContentRow& each) { return each.state == state; });
  CHECK(row != table.end());
  return *row;
}

}  // namespace

const std::vector<ContentRow>& ContentTable() {
  static const std::vector<ContentRow> kTable = {
      {State::kDeletedUnheld, "DeletedUnheld", Step::kNothing, "nothing", ""},
      {State::kDeletedRetained, "DeletedRetained", Step::kDropFinalizer, "drop finalizer", ""},
      {State::kDeletedAnswered, "DeletedAnswered", Step::kDropFinalizer, "drop finalizer", ""},
      {State::kDeletedNothingStored, "DeletedNothingStored", Step::kDropFinalizer, "drop finalizer",
       ""},
      {State::kDeletedShared, "DeletedShared", Step::kDropFinalizer, "drop finalizer",
       reason::kArtifactShared},
      {State::kDeletedOverdue, "DeletedOverdue", Step::kDropFinalizer, "drop finalizer",
       reason::kArtifactAbandoned},
      {State::kDeletedAgentSilent, "DeletedAgentSilent", Step::kReassign, "reassign", ""},
      {State::kDeletedAsked, "DeletedAsked", Step::kWait, "wait", ""},
      {State::kOrphaned, "Orphaned", Step::kDelete, "delete", reason::kOrphaned},
      {State::kPolicyDiffers, "PolicyDiffers", Step::kTakePolicy, "take policy", ""},
      {State::kFinalizerMissing, "FinalizerMissing", Step::kAddFinalizer, "add finalizer", ""},
      {State::kFinalizerNeedless, "FinalizerNeedless", Step::kDropFinalizer, "drop finalizer", ""},
      {State::kFinished, "Finished", Step::kNothing, "nothing", ""},
      {State::kNodeLost, "NodeLost", Step::kFail, "fail", reason::kNodeLost},
      {State::kAgentLost, "AgentLost", Step::kFail, "fail", reason::kAgentLost},
      {State::kOverdue, "Overdue", Step::kFail, "fail", reason::kDeadlineExceeded},
      {State::kWorkedOn, "WorkedOn", Step::kWait, "wait", ""},
  };
  return kTable;
}

ContentPlan PlanContent(const ContentWorld& world) {
  ContentPlan plan = Find(world);
  const ContentRow& row = RowOf(plan.state);
  plan.step = row.step;
  plan.reason = row.reason;
  return plan;
}

}  // namespace hearth::snapshot
