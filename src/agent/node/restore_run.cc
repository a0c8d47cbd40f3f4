#include "agent/node/restore_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "agent/node/either_stop.h"
#include "agent/node/gms_barrier.h"
#include "base/strings.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent::node {
namespace {

using controller::EventType;

NodeWork::RestoreTask TaskOf(const RestoreOrder& order) {
  return {order.aim.checkpoint_id, order.aim.version,        order.container_id, order.target,
          order.pod.key.name,      order.pod.key.name_space, order.pod.uid,      order.pod.ips};
}

// The first of them; an event has little room.
std::string ShortList(const std::vector<std::string>& peers) {
  constexpr size_t kShown = 8;
  const std::vector<std::string> shown(
      peers.begin(), peers.begin() + static_cast<ptrdiff_t>(std::min(kShown, peers.size())));
  return Join(shown, ", ") + (peers.size() > kShown ? ", ..." : "");
}

// One run of RunRestore: what it knows between its steps.
class Run {
 public:
  Run(const LoopContext& context, const RestoreOrder& order) : context_(context), order_(order) {}

  std::optional<RestoreEnd> Do(const std::stop_token& stop) {
    const EitherStop waiting(stop, context_.jobs.closing());
    const SteadyTime asked = context_.clock.Now();
    context_.metrics.BeganToWait(NodeMetrics::Work::kRestore);
    std::optional share(
        context_.budget.Take(Budget::Kind::kRestore, order_.bytes, {.stop = waiting.token()}));
    context_.metrics.EndedToWait(NodeMetrics::Work::kRestore);
    if (!share->ok()) {
      return std::nullopt;  // nothing was touched
    }
    const SteadyTime began = context_.clock.Now();
    context_.metrics.Began(NodeMetrics::Work::kRestore);
    const WaitLimit limit = WaitLimit::For(context_.clock, context_.options.restore_timeout, stop);
    Status restored = Restore(limit);
    // What only waits for the memory service keeps nobody from his turn.
    share.reset();
    if (restored.ok()) {
      restored = LetGoOn(limit);
    }
    const Duration took = context_.clock.Now() - began;
    const bool cancelled = !restored.ok() && stop.stop_requested();
    context_.metrics.Ended(NodeMetrics::Work::kRestore,
                           restored.ok() ? NodeMetrics::End::kDone
                           : cancelled   ? NodeMetrics::End::kCancelled
                                         : NodeMetrics::End::kFailed,
                           took, done_.phases);
    if (cancelled && AgentEnds()) {
      // As if it had been killed: the next agent begins again in the same container.
      context_.logger.Info("a restore is left to the next agent",
                           {{"pod", order_.pod.key.ToString()}, {"container", order_.target}});
      return std::nullopt;
    }
    if (!restored.ok()) {
      return Fail(restored, cancelled);
    }
    // Who had to wait for his turn has saved the less.
    context_.metrics.Saved(Saved(done_.cold_start, context_.clock.Now() - asked));
    return Succeed();
  }

  // It may run already: to be told twice does no harm.
  std::optional<RestoreEnd> LetGoAgain() {
    const Status told = Tell();
    return told.ok() ? Succeed() : Fail(told, false);
  }

 private:
  // Nobody asked this one to stop: all are.
  bool AgentEnds() const {
    const std::string job = RestoreJobKey(order_.pod.key, order_.target, order_.container_id);
    return context_.jobs.WhyCancelled(job).ok();
  }

  Status Restore(const WaitLimit& limit) {
    // Of a restore before this one: the workload must not take it for ours.
    RETURN_IF_ERROR(
        context_.work.RemoveSentinel(order_.container_id, snapshot::kRestoreCompleteFile)
            .WithContext("clear the control directory"));
    ASSIGN_OR_RETURN(done_, context_.work.Restore(TaskOf(order_), limit));
    return {};
  }

  Status LetGoOn(const WaitLimit& limit) {
    RETURN_IF_ERROR(AwaitMemoryService(limit));
    const Status noted = context_.work.NoteRestored(order_.container_id, order_.aim.checkpoint_id,
                                                    order_.aim.version);
    if (!noted.ok()) {
      context_.logger.Warning(
          "cannot note that a container is restored: should the agent be "
          "killed now, the next one restores it again",
          {{"container", order_.container_id}, {"error", noted.ToString()}});
    }
    return Tell();
  }

  Status Tell() {
    return context_.work.WriteSentinel(order_.container_id, snapshot::kRestoreCompleteFile)
        .WithContext("let the workload go on");
  }

  Status AwaitMemoryService(const WaitLimit& limit) {
    ASSIGN_OR_RETURN(const auto barrier,
                     FindGmsBarrier(order_.pod, snapshot::kGmsLoadCompleteFile));
    if (!barrier) {
      return {};
    }
    const SteadyTime began = context_.clock.Now();
    Status loaded =
        context_.work.WaitForSentinel(order_.container_id, barrier->directory, barrier->file, limit)
            .WithContext("waiting for " + barrier->file + " of the memory service");
    done_.phases.emplace_back("gms_load", context_.clock.Now() - began);
    return loaded;
  }

  RestoreEnd Succeed() {
    context_.logger.Info("restored", {{"checkpoint", order_.aim.checkpoint_id},
                                      {"pod", order_.pod.key.ToString()},
                                      {"container", order_.target},
                                      {"dropped_connections", done_.dropped_connections},
                                      {"phases", FormatPhases(done_.phases)}});
    context_.Tell(
        order_.pod, EventType::kNormal, event::kRestoreSucceeded,
        fmt::format("container {} runs from checkpoint {} version {}: {}", order_.target,
                    order_.aim.checkpoint_id, order_.aim.version, FormatPhases(done_.phases)));
    if (done_.dropped_connections > 0) {
      context_.Tell(
          order_.pod, EventType::kNormal, event::kConnectionsDropped,
          fmt::format("container {} is restored without {} TCP connection{} to others: {}",
                      order_.target, done_.dropped_connections,
                      done_.dropped_connections == 1 ? "" : "s", ShortList(done_.dropped_peers)));
    }
    if (!done_.cleanup.ok()) {
      context_.Tell(order_.pod, EventType::kWarning, event::kRestoreCleanupFailed,
                    fmt::format("container {} is restored, but not all could be tidied up: {}",
                                order_.target, done_.cleanup.message()));
    }
    return {std::string(snapshot::kCompleted), "",
            RestoreProof{fmt::format("{}/{}", order_.aim.checkpoint_id, order_.aim.version),
                         done_.root_digest, done_.phases}};
  }

  std::optional<RestoreEnd> Fail(const Status& failure, bool cancelled) {
    static_cast<void>(context_.Kill(order_.container_id));
    const std::string message =
        fmt::format("restore of checkpoint {} version {} failed: {}", order_.aim.checkpoint_id,
                    order_.aim.version, failure.message());
    context_.logger.Warning("a restore failed", {{"pod", order_.pod.key.ToString()},
                                                 {"container", order_.target},
                                                 {"error", failure.ToString()}});
    context_.Tell(order_.pod, EventType::kWarning, event::kRestoreFailed,
                  fmt::format("container {}: {}", order_.target, message));
    return cancelled ? std::nullopt
                     : std::optional(RestoreEnd{std::string(snapshot::kFailed), message, {}});
  }

  const LoopContext& context_;
  const RestoreOrder& order_;
  NodeWork::RestoreDone done_;
};

}  // namespace

std::string RestoreJobKey(const kube::ObjectKey& pod, std::string_view target,
                          std::string_view container_id) {
  return fmt::format("restore/{}/{}/{}", pod.ToString(), target, container_id);
}

std::optional<RestoreEnd> RunRestore(const LoopContext& context, const RestoreOrder& order,
                                     const std::stop_token& stop) {
  Run run(context, order);
  return order.restored ? run.LetGoAgain() : run.Do(stop);
}

}  // namespace hearth::agent::node
