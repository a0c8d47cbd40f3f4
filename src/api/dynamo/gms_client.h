#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/table/struct_table.h"

namespace hearth::api::dynamo {

// What a user may change about a container that moves GPU memory to or from a checkpoint.
// Everything is optional; what is not said is the operator's.
struct GmsClient {
  std::string image;
  std::vector<std::string> command;
  std::vector<json::Value> envs;  // core.v1.EnvVar, in the user's order
  std::string env_from_secret;
  std::vector<json::Value> volume_mounts;  // core.v1.VolumeMount
};

// The container gms-loader of a pod that is restored. A type of its own, so that it can grow apart
// from the saver.
struct GmsLoader : GmsClient {
  static const StructTable& Fields();
};

// The container gms-saver of a checkpoint Job.
struct GmsSaver : GmsClient {
  static const StructTable& Fields();
};

// gpuMemoryService.checkpoint. That it is there, be it empty, asks for both containers.
struct GmsCheckpoint {
  std::optional<GmsLoader> loader;
  std::optional<GmsSaver> saver;
  static const StructTable& Fields();
};

}  // namespace hearth::api::dynamo
