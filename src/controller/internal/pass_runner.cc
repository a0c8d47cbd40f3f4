#include "controller/internal/pass_runner.h"

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <utility>

#include "kube/model/api_status.h"

namespace hearth::controller::internal {
namespace {

Status Panic(std::string_view what) {
  return InternalError("the reconciler threw an exception: " + std::string(what));
}

// Only what the reconciler says itself, or what the API server found wrong with the object. The
// code alone is not enough: a garbled answer, a proxy's 400 or a token file half written pass by.
bool IsTerminal(const Status& failure) {
  return failure.reason() == kTerminalError || failure.reason() == kube::reason::kInvalid;
}

}  // namespace

PassRunner::PassRunner(const ControllerOptions& options, Reconciler& reconciler,
                       Controller::Wiring wiring, std::shared_ptr<WorkQueue> queue)
    : timeout_(options.reconcile_timeout),
      reconciler_(reconciler),
      wiring_(std::move(wiring)),
      queue_(std::move(queue)),
      metrics_(wiring_.metrics, options.name, options.workers) {}

void PassRunner::Run(const kube::ObjectKey& key, Random& random, const std::stop_token& stop) {
  metrics_.active_workers.Add(1);
  const SteadyTime began = wiring_.clock.Now();
  const auto make_logger = [&] {
    // The id ties the lines of one pass together.
    const std::string id = fmt::format("{:08x}", random.Next() >> 32);
    return wiring_.logger.With({{"key", key.ToString()}, {"reconcileID", id}});
  };
  Pass pass(wiring_.client, wiring_.events, std::ref(make_logger),
            WaitLimit::For(wiring_.clock, timeout_, stop));
  const Result<Outcome> result = Call(pass, key);
  metrics_.time.Observe(std::chrono::duration<double>(wiring_.clock.Now() - began).count());
  if (result.ok()) {
    Succeeded(key, *result);
  } else {
    Failed(key, result.status(), pass);
  }
  metrics_.active_workers.Add(-1);
  DoneOnceSeen(key, pass.writes(), result.ok() ? &WorkQueue::Succeeded : &WorkQueue::Done);
}

Result<Outcome> PassRunner::Call(Pass& pass, const kube::ObjectKey& key) {
  try {
    return reconciler_.Reconcile(pass, key);
  } catch (const std::exception& exception) {
    metrics_.panics.Add();
    return Panic(exception.what());
  } catch (...) {
    metrics_.panics.Add();
    return Panic("of an unknown type");
  }
}

void PassRunner::Succeeded(const kube::ObjectKey& key, const Outcome& outcome) {
  if (outcome.delay().has_value()) {
    queue_->Forget(key);
    metrics_.requeue_after.Add();
    queue_->AddAfter(key, *outcome.delay());
  } else {
    metrics_.success.Add();
  }
}

void PassRunner::Failed(const kube::ObjectKey& key, const Status& failure, const Pass& pass) {
  const WaitLimit& limit = pass.limit();
  if (limit.stop.stop_requested() && failure.Is(Code::kCancelled)) {
    return;
  }
  const Duration at_least = failure.retry_after().value_or(std::chrono::milliseconds(0));
  if (failure.Is(Code::kConflict) && !IsTerminal(failure)) {
    metrics_.requeue.Add();
    pass.log().Debug("conflict, trying again", {{"error", failure.ToString()}});
    queue_->AddFailed(key, at_least);
    return;
  }
  metrics_.error.Add();
  metrics_.errors.Add();
  if (wiring_.clock.Now() >= limit.deadline) {
    metrics_.timeouts.Add();
  }
  if (IsTerminal(failure)) {
    metrics_.terminal_errors.Add();
    queue_->Forget(key);
    pass.log().Error("reconcile failed, not trying again until something changes",
                     {{"error", failure.ToString()}});
    return;
  }
  queue_->AddFailed(key, at_least);
  pass.log().Error("reconcile failed",
                   {{"error", failure.ToString()}, {"failures", queue_->failures(key)}});
}

void PassRunner::DoneOnceSeen(const kube::ObjectKey& key, const std::vector<Write>& writes,
                              Done done) {
  if (writes.empty()) {
    (queue_.get()->*done)(key);
    return;
  }
  wiring_.gate.HoldUntilSeen(writes, [queue = queue_, key, done] { (queue.get()->*done)(key); });
}

}  // namespace hearth::controller::internal
