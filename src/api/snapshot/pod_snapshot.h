#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/table/common.h"

namespace hearth::api::snapshot {

// The pod a snapshot is taken of.
struct PodReference {
  std::string name;
  std::string uid;                      // pins this very pod; empty: whichever has the name
  std::vector<std::string> containers;  // what to capture: exactly one, or empty in older objects
  static const StructTable& Fields();
};

// PodSnapshot: a wish for a snapshot of a running pod, in the pod's namespace.
struct PodSnapshotSpec {
  struct Source {
    PodReference pod;
    static const StructTable& Fields();
  };
  Source source;
  static const StructTable& Fields();
};

struct PodSnapshotStatus {
  std::string bound_content_name;
  std::vector<Condition> conditions;
  static const StructTable& Fields();
};

// PodSnapshotContent: the snapshot itself, cluster wide, worked on by the agent of one node.
struct PodSnapshotContentSpec {
  struct SnapshotReference {
    std::string name_space;
    std::string name;
    std::string uid;
    static const StructTable& Fields();
  };
  struct Source {
    PodReference pod;
    std::string node_name;
    static const StructTable& Fields();
  };
  SnapshotReference snapshot;
  Source source;
  static const StructTable& Fields();
};

struct PodSnapshotContentStatus {
  // What lies in the store; without a checkpoint id nothing does, as far as is known.
  struct Artifact {
    std::string checkpoint_id;
    std::string version;
    int64_t size_bytes = 0;
    std::string digest;
    int64_t cold_start_milliseconds = 0;
    static const StructTable& Fields();
  };
  Artifact artifact;
  std::vector<Condition> conditions;
  static const StructTable& Fields();
};

}  // namespace hearth::api::snapshot
