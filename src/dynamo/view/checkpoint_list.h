#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"
#include "json/view.h"

// Checkpoints one below the other, and what may be done with one. Pure.
namespace hearth::dynamo {

struct CheckpointEntry {
  std::string name_space;
  std::string name;
  std::string phase;
  std::string id;
  std::string version;
  std::string model;
  std::string backend;
  std::string graph;  // that it was made for; empty: somebody made it
  std::string component;
  std::string reason;  // why it failed
  std::string message;
  std::optional<WallTime> created;

  static CheckpointEntry Of(json::View checkpoint);
};

std::string ToText(const std::vector<CheckpointEntry>& rows, bool with_namespaces, WallTime now);
json::Value ToJson(const std::vector<CheckpointEntry>& rows);

// How far a checkpoint is, for whoever waits for it.
enum class Captured { kNotYet, kReady, kFailed };
// `version` is the one that is waited for; a status that is of another one counts for nothing.
Captured HowFar(json::View checkpoint, std::string_view version);

// The version that a capture anew would have: the next number, "a-2" after "a", or `wanted` when it
// is not empty. kFailedPrecondition: it is being captured, deleted, or it is ready and `even_ready`
// is not said. kInvalid: `wanted` cannot be a version, or is the one it has.
Result<std::string> VersionToCapture(json::View checkpoint, bool even_ready,
                                     const std::string& wanted);

// Components of graphs that use it, "llm/worker".
std::vector<std::string> UsersOf(std::string_view checkpoint, json::View graph);

}  // namespace hearth::dynamo
