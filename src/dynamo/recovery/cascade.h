#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/projection.h"
#include "json/view.h"

// Engines that serve one model together, one of each rank, go together: when one of them has ended,
// the others wait for it for ever. Whoever made their pods makes them anew. Pure.
namespace hearth::dynamo::recovery {

// What is read of pods that carry kFailoverMemberLabel.
using EngineFields = json::Projection<json::Field<"metadata.labels", json::View>,
                                      json::Field<"status.phase", std::string>>;

// Pods with the same pod index in the same replica of a scaling group.
struct EngineGroup {
  std::string scaling_group;
  std::string replica;
  std::string index;
  friend bool operator==(const EngineGroup&, const EngineGroup&) = default;

  bool complete() const { return !scaling_group.empty() && !replica.empty() && !index.empty(); }
  // "<name space>/<scaling group>/<replica>/<index>".
  std::string KeyIn(std::string_view name_space) const;
};

struct EngineFacts {
  std::string uid;
  std::string phase;
  bool member = false;
  bool restore_target = false;
  bool deleting = false;
  EngineGroup group;
};

// Uid and whether it is being deleted are for the caller to fill in.
EngineFacts ReadEngine(json::View pod);

enum class CascadeDecision {
  kCascade,
  kNotMember,      // any more: somebody took the label away to look at the pod
  kRestoreTarget,  // the node's agent and the replacement of restored pods look after those
  kDeleting,       // by whoever was here before
  kAlive,          // it has neither failed nor succeeded
  kNoGroup,        // Grove's labels are not all there
};
CascadeDecision DecideCascade(const EngineFacts& pod);

// Which of `members`, all of one group, are to be deleted, by their places and in this order: the
// pod that began it last. While that is there, somebody who comes after a crash begins again.
std::vector<size_t> WhoGoes(const EngineFacts& trigger, const std::vector<EngineFacts>& members);

}  // namespace hearth::dynamo::recovery
