#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/dynamo/checkpoint.h"
#include "base/clock.h"
#include "base/result.h"
#include "json/view.h"

namespace hearth::dynamo {

// A DynamoCheckpoint, read.
struct CheckpointFacts {
  std::string name;
  std::string name_space;
  std::string uid;
  int64_t generation = 0;
  bool deleting = false;
  bool held = false;       // has kFinalizer
  bool automatic = false;  // the operator made it for a graph
  std::optional<WallTime> created;
  std::string id_label;
  std::string artifact_version;  // "1" when it says nothing
  std::string retries;           // kRetriesAnnotation, kTriesAnnotation
  std::string tries;
  api::dynamo::CheckpointSpec spec;
  api::dynamo::CheckpointStatus status;

  // kInvalid: the spec cannot be read.
  static Result<CheckpointFacts> From(json::View object);

  // Of its status, its label or its identity, in this order: what artifacts are called.
  std::string Id() const;
  // Of its Job for the version it asks for.
  std::string JobName() const;
  const api::dynamo::v1alpha1::GpuMemoryService* memory() const;  // null: off
};

}  // namespace hearth::dynamo
