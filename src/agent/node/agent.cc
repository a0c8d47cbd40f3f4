#include "agent/node/agent.h"

#include <fmt/format.h>

#include <utility>

#include "agent/node/capture_loop.h"
#include "agent/node/gate_loop.h"
#include "agent/node/heartbeat.h"
#include "agent/node/loop_context.h"
#include "agent/node/restore_loop.h"
#include "base/random.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/node_names.h"

namespace hearth::agent::node {
namespace {

std::string NewIdentity() {
  Random random = Random::Seeded();
  return fmt::format("snapshot-agent/{:016x}{:016x}", random.Next(), random.Next());
}

AgentOptions Completed(AgentOptions options) {
  if (options.identity.empty()) {
    options.identity = NewIdentity();
  }
  return options;
}

std::string OnNode(const AgentOptions& options) { return "spec.nodeName=" + options.node; }

}  // namespace

controller::Scope ContentScope(const AgentOptions& options) {
  return {"", fmt::format("{}={}", snapshot::kNodeLabel, snapshot::NodeLabelValue(options.node)),
          ""};
}

controller::Scope SourceScope(const AgentOptions& options) {
  return {options.only_namespace, fmt::format("{}=true", snapshot::kEligibleLabel),
          OnNode(options)};
}

controller::Scope RestoreScope(const AgentOptions& options) {
  return {options.only_namespace,
          fmt::format("{},!{}", snapshot::kCheckpointIdLabel, snapshot::kSourceLabel),
          OnNode(options)};
}

// Members go in the reverse order; the jobs, which use all of it, are closed before.
struct Agent::Impl {
  Impl(controller::Manager& manager, NodeWork& work, AgentOptions the_options)
      : options(Completed(std::move(the_options))),
        metrics(manager.metrics()),
        budget(manager.clock(), options.limits),
        leases(manager.client(), manager.clock(),
               {options.identity, options.lease_duration, options.lease_renew_period},
               manager.logger()),
        status(manager.client(), manager.clock()),
        heartbeat(manager.client(), manager.clock(),
                  {options.node, options.name_space, options.heartbeat_period}, manager.logger()),
        contents(manager.Watch<ContentFields>(Contents(), {ContentScope(options), {IndexByPod()}})),
        sources(manager.Watch<PodFields>(kube::types::Pods(), {SourceScope(options), {}})),
        restores(manager.Watch<PodFields>(kube::types::Pods(), {RestoreScope(options), {}})),
        jobs(manager.clock()),
        context{options,
                work,
                jobs,
                budget,
                leases,
                status,
                manager.events(),
                metrics,
                manager.client(),
                manager.clock(),
                manager.logger()},
        gate(manager, contents, sources, context),
        capture(manager, contents, sources, context),
        restore(manager, restores, context) {}

  const AgentOptions options;
  NodeMetrics metrics;
  Budget budget;
  CaptureLeases leases;
  ContentStatus status;
  Heartbeat heartbeat;
  controller::Cached<ContentFields> contents;
  controller::Cached<PodFields> sources;
  controller::Cached<PodFields> restores;
  Jobs jobs;
  std::stop_source drained;  // nothing runs any more
  LoopContext context;
  GateLoop gate;
  CaptureLoop capture;
  RestoreLoop restore;
};

Result<std::unique_ptr<Agent>> Agent::Create(controller::Manager& manager, NodeWork& work,
                                             AgentOptions options, std::vector<ReadyCheck> checks) {
  if (options.node.empty()) {
    return InvalidError("the name of the node is not known: set NODE_NAME or --node-name");
  }
  if (options.name_space.empty()) {
    return InvalidError("the agent's namespace is not known: set POD_NAMESPACE or --namespace");
  }
  auto impl = std::make_unique<Impl>(manager, work, std::move(options));
  for (ReadyCheck& check : checks) {
    manager.AddReadyCheck(std::move(check.name), std::move(check.check));
  }
  // Beats as long as something runs: orders of an agent that seems dead are given up.
  manager.AddRunnable("heartbeat", false, [agent = impl.get()](const std::stop_token&) {
    return agent->heartbeat.Run(agent->drained.get_token());
  });
  // Ends after the loops, which start nothing more then, and before events are flushed.
  manager.AddRunnable("node-jobs", false,
                      [agent = impl.get(), &clock = manager.clock()](const std::stop_token& stop) {
                        SleepFor(clock, Duration::max(), stop);
                        agent->jobs.Close(WaitLimit::For(clock, agent->options.drain));
                        agent->drained.request_stop();
                        return Status::Ok();
                      });
  return std::unique_ptr<Agent>(new Agent(std::move(impl)));
}

Agent::Agent(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

// Whatever still runs uses the loops: it ends before they go.
Agent::~Agent() { impl_->jobs.Close({.deadline = SteadyTime::min()}); }

size_t Agent::running() const { return impl_->jobs.running(); }

}  // namespace hearth::agent::node
