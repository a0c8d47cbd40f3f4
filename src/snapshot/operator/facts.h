#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/snapshot/pod_snapshot.h"
#include "base/clock.h"
#include "base/result.h"
#include "controller/cached_object.h"
#include "controller/conditions.h"
#include "json/value.h"

// Cached objects read into values that plans are made of. Reading never fails: what an object does
// not say, or says in a way nobody understands, is left at what it is without.
namespace hearth::snapshot {

enum class DeletionPolicy { kRetain, kDelete };
std::string_view PolicyName(DeletionPolicy policy);

struct SnapshotFacts {
  std::string name_space;
  std::string name;
  std::string uid;
  int64_t generation = 0;
  bool deleting = false;
  bool held = false;  // has kSnapshotFinalizer
  api::snapshot::PodReference pod;
  std::string bound;  // the content's name; empty: none yet
  bool failed = false;
  DeletionPolicy policy = DeletionPolicy::kRetain;
  std::string unknown_policy;  // what was written there when it is no policy
  // Of its own; nothing: the operator's.
  Result<std::optional<Duration>> deadline = std::optional<Duration>();
  std::optional<WallTime> created;
  json::Value conditions;  // as they are

  static SnapshotFacts From(const controller::CachedObject& object);
};

struct ContentFacts {
  std::string name;
  std::string uid;
  bool deleting = false;
  bool held = false;  // has kArtifactFinalizer
  api::snapshot::PodSnapshotContentSpec spec;
  api::snapshot::PodSnapshotContentStatus::Artifact artifact;
  std::optional<controller::Condition> ready;
  std::optional<controller::Condition> failed;
  std::optional<controller::Condition> artifact_deleted;
  DeletionPolicy policy = DeletionPolicy::kRetain;
  std::string addressee;  // kNodeLabel: whose agent works on it
  std::optional<WallTime> created;
  std::optional<WallTime> deletion_asked;

  static ContentFacts From(const controller::CachedObject& object);

  // Made by an administrator for a snapshot of that name, whichever it is.
  bool pre_provisioned() const { return spec.snapshot.uid.empty(); }
  bool is_ready() const { return ready.has_value() && ready->status == "True"; }
  bool is_failed() const { return failed.has_value() && failed->status == "True"; }
};

// Whether a content was made for this very snapshot.
bool BelongsTo(const ContentFacts& content, const SnapshotFacts& snapshot);

}  // namespace hearth::snapshot
