#include "agent/node/removal.h"

#include <fmt/format.h>

#include "agent/node/capture_decision.h"
#include "agent/node/ownership.h"
#include "snapshot/protocol/checkpoint_id.h"
#include "snapshot/protocol/conditions.h"

namespace hearth::agent::node {
namespace {

RemovalAnswer Failed(const Status& failure) {
  return {failure, std::string(snapshot::reason::kDeleteFailed), std::string(failure.message())};
}

RemovalAnswer NothingStored(std::string message) {
  return {{}, std::string(snapshot::reason::kNothingStored), std::move(message)};
}

}  // namespace

RemovalAim FindRemovalAim(const ContentFacts& content, const PodFacts* pod) {
  RemovalAim aim{content.artifact_id, snapshot::ArtifactVersionOr1(content.artifact_version)};
  if (!aim.checkpoint_id.empty() || pod == nullptr ||
      (!content.pod_uid.empty() && content.pod_uid != pod->uid)) {
    return aim;
  }
  const auto planned = FindAim(content, *pod);
  if (planned.ok()) {
    aim.checkpoint_id = planned->checkpoint_id;
    aim.version = planned->version;
  }
  return aim;
}

RemovalAnswer Remove(NodeWork& work, const ContentFacts& content, const RemovalAim& aim,
                     const WaitLimit& limit) {
  // The status is a foreign word: whoever may write it must not lead us to other folders.
  if (aim.checkpoint_id.empty() || !snapshot::CheckCheckpointId(aim.checkpoint_id).ok() ||
      !snapshot::CheckArtifactVersion(aim.version).ok()) {
    return NothingStored("nothing is known to be stored");
  }
  const auto stored = work.Look(aim.checkpoint_id, aim.version);
  if (!stored.ok()) {
    return Failed(stored.status());
  }
  const std::string what = fmt::format("checkpoint {} version {}", aim.checkpoint_id, aim.version);
  if (!stored->present) {
    return NothingStored(what + " is not in the store");
  }
  if (!IsOf(*stored, content)) {
    return NothingStored(what + " is of another snapshot and stays");
  }
  const Status removed = work.Remove(aim.checkpoint_id, aim.version, limit);
  if (!removed.ok()) {
    return Failed(removed);
  }
  return {{}, std::string(snapshot::reason::kDeleted), what + " was deleted"};
}

}  // namespace hearth::agent::node
