#pragma once

#include <string_view>

#include "agent/node/agent_options.h"
#include "agent/node/budget.h"
#include "agent/node/capture_leases.h"
#include "agent/node/content_status.h"
#include "agent/node/jobs.h"
#include "agent/node/node_metrics.h"
#include "agent/node/node_work.h"
#include "agent/node/pod_facts.h"
#include "base/clock.h"
#include "base/log.h"
#include "controller/event_recorder.h"

namespace hearth::agent::node {

// What the loops of one agent share. Borrowed; everything in it is thread-safe.
struct LoopContext {
  const AgentOptions& options;
  NodeWork& work;
  Jobs& jobs;
  Budget& budget;
  CaptureLeases& leases;
  ContentStatus& contents;
  controller::EventRecorder& events;
  NodeMetrics& metrics;
  kube::Client& client;
  Clock& clock;
  Logger logger;

  // For what must be told after the work itself is over, also when it was cancelled.
  WaitLimit TailLimit() const { return WaitLimit::For(clock, std::chrono::seconds(30)); }
  void Tell(const PodFacts& pod, controller::EventType type, std::string_view reason,
            std::string_view note) const;
  // Kills what is in no known state. A failure is logged, and it is tried again, as a job, until it
  // has ended: whoever looks next finds the order settled and would not do it.
  Status Kill(std::string_view container_id) const;
};

// Events about pods.
namespace event {
inline constexpr std::string_view kCheckpointCaptured = "CheckpointCaptured";
inline constexpr std::string_view kCheckpointFailed = "CheckpointFailed";
inline constexpr std::string_view kRestoreRequested = "RestoreRequested";
inline constexpr std::string_view kRestoreSucceeded = "RestoreSucceeded";
inline constexpr std::string_view kRestoreFailed = "RestoreFailed";
inline constexpr std::string_view kRestoreCleanupFailed = "RestoreCleanupFailed";
inline constexpr std::string_view kConnectionsDropped = "ConnectionsDropped";
inline constexpr std::string_view kRestoreRejected = "RestoreRejected";
inline constexpr std::string_view kRestoreWaiting = "RestoreWaiting";
}  // namespace event

// "capture_dump 1.2s, files 300ms".
std::string FormatPhases(const Phases& phases);

}  // namespace hearth::agent::node
