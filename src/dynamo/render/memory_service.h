#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/dynamo/gms_client.h"
#include "base/result.h"
#include "json/value.h"

// The GPU memory service within a pod: a server beside the engines, a folder for its sockets, and
// clients that find it. Each step may be taken twice and changes nothing the second time.
namespace hearth::dynamo {

struct MemoryService {
  std::string claim_template;
  std::string target;                      // the container whose GPUs and image the server has
  std::vector<std::string> extra_clients;  // containers that talk to the server as well
  int64_t gpus = 1;                        // of the target, before its claim replaced them
};

// Claim, socket folder, server and clients. kInvalid names a container that is not there.
Status AddMemoryService(json::Value& pod_spec, const MemoryService& service);

// Makes a container of the pod a client: folder, variable, claim. What it has of those names is
// replaced, for a client that looks elsewhere waits for ever.
void MakeClient(json::Value& pod_spec, json::Value& container);

// Containers that move the memory to or from a checkpoint.
struct MemoryMover {
  std::string checkpoint_directory;  // GMS_CHECKPOINT_DIR, which whoever adds it mounts
};
// The container gms-loader of a restored pod, gms-saver of a checkpoint Job. `said` is what the
// user wants otherwise; null: nothing. The image is the target's unless he says so.
json::Value LoaderContainer(const json::Value& target, const MemoryMover& mover,
                            const api::dynamo::GmsClient* said);
json::Value SaverContainer(const json::Value& target, const MemoryMover& mover,
                           const api::dynamo::GmsClient* said);

// Whether such a container writes a file when it is done: ours do, a user's command may not.
bool TellsOfItsEnd(const api::dynamo::GmsClient* said);

// Succeeds once both sockets of every GPU are there.
json::Value SocketProbe(std::string_view folder, int64_t gpus, int period, int failures);

}  // namespace hearth::dynamo
