#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agent/node/capture_decision.h"
#include "agent/node/loop_context.h"

// What is done about an order once it is decided. Blocking.
namespace hearth::agent::node {

// An order with all that it needs, as it was decided on.
struct CaptureOrder {
  ContentFacts content;
  PodFacts pod;
  CaptureAim aim;
  std::string container_id;  // of the target; empty when it does not run
};

// The guard of one checkpoint id: whatever order it is for, it is captured once at a time.
std::string CaptureJobKey(std::string_view checkpoint_id);

// The artifact is durable: writes Ready and only then lets the workload go on. An order that was
// given up meanwhile has its artifact removed and its container killed instead. A failure to write
// leaves the workload waiting, for the next try.
Status FinishCapture(const LoopContext& context, const CaptureOrder& order,
                     const ArtifactFacts& artifact);

// Writes Failed, and tells of it where it was written.
Result<ContentStatus::Settled> FailOrder(const LoopContext& context, const ContentFacts& content,
                                         const PodFacts* pod, std::string_view reason,
                                         std::string_view message);

// A job: waits for its turn and for the memory service, captures, settles the order. Everything
// that fails after the container was touched kills it, and leaves nothing in the store. Gives the
// leases back.
void RunCapture(const LoopContext& context, const CaptureOrder& order, HeldLeases& leases,
                const std::stop_token& stop);

}  // namespace hearth::agent::node
