#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/dynamo/checkpoint_config.h"
#include "api/dynamo/gms_client.h"
#include "base/result.h"
#include "dynamo/checkpoint/storage.h"
#include "dynamo/render/memory_service.h"
#include "json/value.h"

// Pod templates that start from a checkpoint: at once, or once there is one.
namespace hearth::dynamo {

// The container gms-loader of a restored pod. One without words of the user is as good as any.
struct LoaderWish {
  bool wanted = false;
  std::optional<api::dynamo::GmsLoader> said;
};

// What a ready checkpoint has that a pod needs to come back from it.
struct RestoreSource {
  std::string checkpoint_id;
  std::string artifact_version = "1";
  Storage storage;
  std::string seccomp_profile;
  std::vector<std::string> targets;     // containers; empty: main
  std::optional<MemoryService> memory;  // of a pod whose memory service is still to be added
  LoaderWish loader;                    // only with a memory service in the pod
};

// Makes the template one whose pods are restored. All or nothing: on failure it is as it was.
// kInvalid: a target that is no container of it.
Status ShapeForRestore(json::Value& pod_template, const RestoreSource& source);

// Marks the template so that its pods are restored from the checkpoint of this name as soon as it
// is ready, each when it is created; until then they start cold. Owners of the template see no
// change when that happens.
struct CandidateMarks {
  std::string checkpoint;
  api::dynamo::CheckpointStartupPolicy policy = api::dynamo::CheckpointStartupPolicy::kImmediate;
  std::vector<std::string> targets;  // containers; empty: main
  LoaderWish loader;
};
void MarkCandidate(json::Value& pod_template, const CandidateMarks& marks);
// The loader that the marks of a pod ask for. kInvalid: nobody can read them.
Result<LoaderWish> LoaderAskedBy(const json::Value& pod);
// ---- Memory services between pods.
// The loader, in the pod of the server whose folder it shares. Its devices come by the set's
// claims.
Status AddLoaderBesideServer(json::Value& pod_spec, const Storage& storage,
                             const std::string& checkpoint_id, const std::string& directory,
                             const api::dynamo::GmsLoader* said);
// What is captured knows its server by the folder that it has within one pod; a container whose
// server is another pod finds it there as well.
void ShowSharedMemory(json::Value& pod_spec, const std::string& target);
// Has the agents wait until the memory is saved, or loaded.
void TellMemoryDirectory(json::Value& pod, std::string_view directory, std::string_view mode);

// Takes away whatever an earlier checkpoint, or a user, put there.
void ClearRestoreMarks(json::Value& pod_template);

}  // namespace hearth::dynamo
