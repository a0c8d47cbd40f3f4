#include "agent/node/capture_run.h"

#include <fmt/format.h>

#include <utility>

#include "agent/node/either_stop.h"
#include "agent/node/gms_barrier.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent::node {
namespace {

using Settled = ContentStatus::Settled;
constexpr Duration kReleaseTimeout = std::chrono::seconds(5);

NodeWork::CaptureTask TaskOf(const CaptureOrder& order) {
  return {order.aim.checkpoint_id, order.aim.version,  order.container_id,
          order.aim.target,        order.pod.key.name, order.pod.key.name_space,
          order.pod.uid,           order.pod.ips,      order.content.uid};
}

// What was stored for an order that will never be Ready: it would take its id from every later one.
// What the memory service has saved by then has no artifact yet; it goes where it says that it is
// of this pod, for another may have saved in the same place.
void RemoveUnwanted(const LoopContext& context, const CaptureOrder& order) {
  const auto stored = context.work.Look(order.aim.checkpoint_id, order.aim.version);
  if (!stored.ok() || (stored->present && stored->content_uid != order.content.uid)) {
    return;
  }
  Status removed;
  if (stored->present) {
    removed = context.work.Remove(order.aim.checkpoint_id, order.aim.version, context.TailLimit());
  } else {
    const auto weights = context.work.RemoveWeights(order.aim.checkpoint_id, order.aim.version,
                                                    order.pod.uid, context.TailLimit());
    if (weights.ok() && !*weights) {
      return;
    }
    removed = weights.status();
  }
  if (removed.ok()) {
    context.logger.Info("removed the artifact of an order that failed",
                        {{"content", order.content.name}, {"checkpoint", order.aim.checkpoint_id}});
  } else {
    context.logger.Warning("the artifact of an order that failed stays, and keeps its id",
                           {{"content", order.content.name},
                            {"checkpoint", order.aim.checkpoint_id},
                            {"error", removed.ToString()}});
  }
}

// One run of RunCapture: what it knows between its steps.
class Run {
 public:
  Run(const LoopContext& context, const CaptureOrder& order, HeldLeases& leases)
      : context_(context), order_(order), leases_(leases) {}

  void Do(const std::stop_token& stop) {
    // Ends with the job, and with the leases: somebody else may act from then on.
    std::stop_source over;
    const std::stop_callback forward(stop, [&over] { over.request_stop(); });
    leases_.KeepRenewing([&over] { over.request_stop(); });
    Work(over.get_token());
    const Status released = leases_.Release(WaitLimit::For(context_.clock, kReleaseTimeout));
    if (!released.ok()) {
      context_.logger.Warning("could not give back the lease of a capture; it runs out by itself",
                              {{"error", released.ToString()}});
    }
  }

 private:
  void Work(const std::stop_token& stop) {
    // An agent that ends leaves what only waits to the next one.
    const EitherStop waiting(stop, context_.jobs.closing());
    // Without a share of the node: a pod that never says so must not keep others from theirs.
    const Status saved = AwaitMemoryService(
        WaitLimit::For(context_.clock, context_.options.capture_timeout, waiting.token()));
    if (saved.Is(Code::kCancelled)) {
      Abandon(saved);
      return;
    }
    if (!saved.ok()) {
      Count([&] { return GiveUp(snapshot::reason::kGmsSaveIncomplete, saved); });
      return;
    }
    context_.metrics.BeganToWait(NodeMetrics::Work::kCapture);
    const auto share = context_.budget.Take(Budget::Kind::kCapture, 0, {.stop = waiting.token()});
    context_.metrics.EndedToWait(NodeMetrics::Work::kCapture);
    if (!share.ok()) {
      Abandon(share.status());
      return;
    }
    Count([&] {
      return Capture(WaitLimit::For(context_.clock, context_.options.capture_timeout, stop));
    });
  }

  template <typename Part>
  void Count(Part part) {
    const SteadyTime began = context_.clock.Now();
    context_.metrics.Began(NodeMetrics::Work::kCapture);
    const NodeMetrics::End end = part();
    context_.metrics.Ended(NodeMetrics::Work::kCapture, end, context_.clock.Now() - began, phases_);
  }

  NodeMetrics::End Capture(const WaitLimit& limit) {
    auto done = context_.work.Capture(TaskOf(order_), limit);
    if (!done.ok()) {
      return FailCapture(done.status());
    }
    phases_ = std::move(done->phases);
    context_.metrics.Stored(done->bytes, done->stored_bytes);
    if (!leases_.lost().ok()) {
      return GiveUp(snapshot::reason::kLeaseCancelled, leases_.lost());
    }
    return Finish(*done);
  }

  // What the memory service holds is saved by itself, and belongs to the snapshot.
  Status AwaitMemoryService(const WaitLimit& limit) {
    ASSIGN_OR_RETURN(const auto barrier,
                     FindGmsBarrier(order_.pod, snapshot::kGmsSaveCompleteFile));
    if (!barrier) {
      return {};
    }
    return context_.work
        .WaitForSentinel(order_.container_id, barrier->directory, barrier->file, limit)
        .WithContext("waiting for " + barrier->file + " of the memory service");
  }

  NodeMetrics::End Finish(const NodeWork::CaptureDone& done) {
    const Status finished = FinishCapture(context_, order_,
                                          {order_.aim.checkpoint_id, order_.aim.version,
                                           done.stored_bytes, done.root_digest, done.cold_start});
    if (!finished.ok()) {
      context_.logger.Warning("captured, but not yet told of",
                              {{"content", order_.content.name}, {"error", finished.ToString()}});
    }
    context_.logger.Info("captured", {{"checkpoint", order_.aim.checkpoint_id},
                                      {"pod", order_.pod.key.ToString()},
                                      {"bytes", done.bytes},
                                      {"stored_bytes", done.stored_bytes},
                                      {"phases", FormatPhases(phases_)}});
    return done.reused ? NodeMetrics::End::kReused : NodeMetrics::End::kDone;
  }

  // The container was not touched: nothing to clean up, and another may take over.
  void Abandon(const Status& status) {
    CountLostLease();
    const Status why = context_.jobs.WhyCancelled(CaptureJobKey(order_.aim.checkpoint_id));
    context_.logger.Info("a capture ended before it began",
                         {{"content", order_.content.name},
                          {"cause", why.ok() ? status.ToString() : why.ToString()}});
    if (!why.ok()) {
      static_cast<void>(FailOrder(context_, order_.content, nullptr, why.reason(), why.message()));
    }
  }

  NodeMetrics::End FailCapture(const Status& failure) {
    if (failure.reason() == kUntouched) {
      Abandon(failure);
      return NodeMetrics::End::kCancelled;
    }
    const Status why = context_.jobs.WhyCancelled(CaptureJobKey(order_.aim.checkpoint_id));
    if (!why.ok()) {
      static_cast<void>(GiveUp(why.reason(), why));
      return NodeMetrics::End::kCancelled;
    }
    const Status lost = leases_.lost();
    if (!lost.ok()) {
      return GiveUp(snapshot::reason::kLeaseCancelled,
                    failure.WithContext(std::string(lost.message())));
    }
    if (failure.Is(Code::kCancelled)) {
      // Nobody took the order back: all that runs was asked to stop.
      static_cast<void>(
          GiveUp(snapshot::reason::kCaptureInterrupted,
                 failure.WithContext("the agent was told to end and the capture did not in time")));
      return NodeMetrics::End::kCancelled;
    }
    return GiveUp(snapshot::reason::kCheckpointFailed, failure);
  }

  // The container is in no known state. Unless another made the order Ready, which then also lets
  // the workload go on, it must not run on.
  NodeMetrics::End GiveUp(std::string_view reason, const Status& failure) {
    CountLostLease();
    const auto settled =
        FailOrder(context_, order_.content, &order_.pod, reason, failure.message());
    if (!settled.ok() || *settled != Settled::kWasReady) {
      static_cast<void>(context_.Kill(order_.container_id));
    }
    // Only once it is written that it failed: until then another may make it Ready.
    if (settled.ok() && *settled != Settled::kWasReady) {
      RemoveUnwanted(context_, order_);
    }
    return NodeMetrics::End::kFailed;
  }

  void CountLostLease() {
    if (!leases_.lost().ok()) {
      context_.metrics.LeaseLost();
    }
  }

  const LoopContext& context_;
  const CaptureOrder& order_;
  HeldLeases& leases_;
  Phases phases_;
};

// A workload that cannot be told stays in its wait loop for ever.
Status Release(const LoopContext& context, const CaptureOrder& order) {
  if (order.container_id.empty()) {
    return {};
  }
  const Status written =
      context.work.WriteSentinel(order.container_id, snapshot::kSnapshotCompleteFile);
  if (!written.ok()) {
    RETURN_IF_ERROR(context.Kill(order.container_id));
  }
  return written.WithContext("release container " + order.container_id);
}

}  // namespace

std::string CaptureJobKey(std::string_view checkpoint_id) {
  return fmt::format("capture/{}", checkpoint_id);
}

Status FinishCapture(const LoopContext& context, const CaptureOrder& order,
                     const ArtifactFacts& artifact) {
  ASSIGN_OR_RETURN(const Settled settled,
                   context.contents.SetReady(order.content, artifact, context.TailLimit()));
  if (settled == Settled::kWasFailed || settled == Settled::kGone) {
    RemoveUnwanted(context, order);
    return context.Kill(order.container_id);
  }
  if (settled == Settled::kWritten) {
    context.Tell(order.pod, controller::EventType::kNormal, event::kCheckpointCaptured,
                 fmt::format("container {} is captured as checkpoint {} version {}, {} bytes, "
                             "digest {}",
                             order.aim.target, artifact.checkpoint_id, artifact.version,
                             artifact.size_bytes, artifact.digest));
  }
  return Release(context, order);
}

Result<Settled> FailOrder(const LoopContext& context, const ContentFacts& content,
                          const PodFacts* pod, std::string_view reason, std::string_view message) {
  auto settled = context.contents.SetFailed(content, reason, message, context.TailLimit());
  if (!settled.ok()) {
    context.logger.Warning(
        "could not write that an order failed",
        {{"content", content.name}, {"reason", reason}, {"error", settled.status().ToString()}});
  } else if (*settled == Settled::kWritten) {
    context.logger.Warning("an order failed",
                           {{"content", content.name}, {"reason", reason}, {"message", message}});
    if (pod != nullptr) {
      context.Tell(*pod, controller::EventType::kWarning, event::kCheckpointFailed,
                   fmt::format("{}: {}", reason, message));
    }
  }
  return settled;
}

void RunCapture(const LoopContext& context, const CaptureOrder& order, HeldLeases& leases,
                const std::stop_token& stop) {
  Run(context, order, leases).Do(stop);
}

}  // namespace hearth::agent::node
