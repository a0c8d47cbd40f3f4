#pragma once

#include <string>
#include <vector>

#include "agent/capture/facts.h"
#include "agent/criu/request.h"
#include "base/clock.h"
#include "base/result.h"
#include "snapshot/artifact/manifest.h"
#include "snapshot/artifact/staging.h"

namespace hearth::agent {

// What is captured for whom.
struct CaptureOrder {
  std::string checkpoint_id;
  std::string artifact_version = "1";
  std::string node;
  std::string pod_name;
  std::string pod_namespace;
  std::string pod_uid;
  std::vector<std::string> pod_ips;
  std::string container_name;
  std::string content_uid;  // of the PodSnapshotContent; empty: nobody's
  snapshot::IfThere if_there = snapshot::IfThere::kRefuse;
  criu::Settings settings;
  std::vector<std::string> exclusions;  // files that are not saved
  bool compress = false;                // memory
};

// A capture as it will be done: asked for before it is, and shown to whoever wants to know.
struct CapturePlan {
  criu::DumpRequest request;  // its descriptors are filled in when it is done
  std::string criu_configuration;
  snapshot::Manifest manifest;
  std::string upper_directory;
  std::vector<MountDecision> mounts;
  bool compress = false;
};

// Pure. kInvalid: the order or the settings are wrong. kUnsupported: something that cannot be
// captured is seen before it is tried.
Result<CapturePlan> PlanCapture(const CaptureFacts& facts, const CaptureOrder& order,
                                const snapshot::SourceEnvironment& environment, WallTime now);

// The plan for people: YAML.
std::string DescribePlan(const CapturePlan& plan);

}  // namespace hearth::agent
