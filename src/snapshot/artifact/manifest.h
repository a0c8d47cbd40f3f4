#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "disk/digest.h"
#include "json/value.h"

namespace hearth::snapshot {

inline constexpr std::string_view kManifestFile = "manifest.yaml";
// The newest that is known. What is not compressed is written as version 1, which older releases
// read.
inline constexpr int kManifestVersion = 2;

// The container that was captured, as it was then.
struct SourceContainer {
  std::string container_id;
  int pid = 0;  // on the node
  std::string node;
  std::string pod_name;
  std::string pod_namespace;
  std::vector<std::string> pod_ips;  // one, or one of each family
  std::array<std::string, 3> stdio;  // "pipe:[8812]"; empty when it could not be told
};

// Which files were saved beside the memory.
struct SavedFiles {
  std::vector<std::string> exclusions;  // patterns that were left out
  std::string upper_directory;
  std::vector<std::string> external_paths;     // masked and read-only ones
  std::vector<std::string> bind_destinations;  // come from volumes
};

struct CudaState {
  std::vector<int> pids;               // in the innermost namespace
  std::vector<std::string> gpu_uuids;  // in the order in which the container saw them
};

// The machine and the programs, for whoever asks whether it will restore elsewhere.
struct SourceEnvironment {
  std::string kernel;        // "6.18.2"
  std::string architecture;  // "x86_64"
  std::string cpu_model;
  std::vector<std::string> cpu_features;
  std::string criu_version;
  std::string runtime;  // "containerd 1.7.24"
  std::string image;
  std::string image_digest;
  std::string pod_uid;
  std::string container_name;
};

// How the artifact's bytes are told from others.
struct Integrity {
  disk::Digest contents;      // of the table of contents
  uint64_t bytes = 0;         // of all files in it
  uint64_t stored_bytes = 0;  // that they take on disk
  uint64_t plain_bytes = 0;   // when pages are compressed: of all files, had they not been
};

// What an artifact says of itself. The members that upstream's agents know are written as they
// write them, so that either can read the other's.
struct Manifest {
  std::string checkpoint_id;
  std::string artifact_version = "1";
  WallTime created_at;
  json::Value criu_settings;                           // as they were used
  std::map<std::string, std::string> external_mounts;  // mount point to name
  std::vector<std::string> external;
  std::vector<std::string> skipped_mounts;
  SourceContainer source;
  SavedFiles files;
  std::optional<CudaState> cuda;
  // Not in upstream's:
  std::optional<SourceEnvironment> environment;
  std::string content_uid;  // of the PodSnapshotContent that it was captured for; empty: none
  // How long the container took from its start until it was ready to be captured; nothing: not
  // known. Kept to the millisecond.
  std::optional<Duration> cold_start;
  std::optional<Integrity> integrity;
};

// YAML. Canonical: the same manifest gives the same bytes.
std::string WriteManifest(const Manifest& manifest);
// Of ours and of upstream's. What is unknown is passed over; kInvalid names the member that is
// missing or of another kind, kUnsupported a version that is newer than we are.
Result<Manifest> ReadManifest(std::string_view text);

// Whether the artifact may be restored as `checkpoint_id` in `name_space`; ids alone do not make it
// somebody's. An artifact without a namespace is everybody's.
Status CheckBelongsTo(const Manifest& manifest, std::string_view checkpoint_id,
                      std::string_view name_space);

}  // namespace hearth::snapshot
