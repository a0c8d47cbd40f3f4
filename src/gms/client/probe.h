#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/wait_limit.h"
#include "gms/protocol/messages.h"

// Questions that need no lease, each a connection of its own. `limit` bounds connecting and the
// answer together; a socket that is not there is waited for. Errors are those of Session.
namespace hearth::gms {

Result<GetRuntimeStateResponse> ReadRuntimeState(const std::string& socket, const WaitLimit& limit);
Result<GetEventHistoryResponse> ReadEventHistory(const std::string& socket, const WaitLimit& limit);

// The checkpoint fence of the socket's device. kConflict when something is in the way or the token
// is another's.
struct FenceOptions {
  std::optional<Duration> deadline;  // the fence comes down by itself then
  bool bound_to_us = false;          // and when this process ends
};
Result<CheckpointStateResponse> PrepareCheckpoint(const std::string& socket,
                                                  const FenceOptions& options,
                                                  const WaitLimit& limit);
Result<CheckpointStateResponse> AbortCheckpoint(const std::string& socket, const std::string& token,
                                                const WaitLimit& limit);
Result<CheckpointStateResponse> CompleteRestore(const std::string& socket, const std::string& token,
                                                const WaitLimit& limit);
Result<CheckpointStateResponse> ReadCheckpointState(const std::string& socket,
                                                    const WaitLimit& limit);

}  // namespace hearth::gms
