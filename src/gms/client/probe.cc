#include "gms/client/probe.h"

#include "gms/client/internal/rpc.h"

namespace hearth::gms {
namespace {

template <typename Response, typename Request>
Result<Response> Ask(const std::string& socket, const Request& request, const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const auto rpc, internal::Rpc::Dial(socket, limit.deadline, limit.stop));
  return rpc->Call<Response>(request, limit.deadline);
}

}  // namespace

Result<GetRuntimeStateResponse> ReadRuntimeState(const std::string& socket,
                                                 const WaitLimit& limit) {
  return Ask<GetRuntimeStateResponse>(socket, GetRuntimeStateRequest{}, limit);
}

Result<GetEventHistoryResponse> ReadEventHistory(const std::string& socket,
                                                 const WaitLimit& limit) {
  return Ask<GetEventHistoryResponse>(socket, GetEventHistoryRequest{}, limit);
}

Result<CheckpointStateResponse> PrepareCheckpoint(const std::string& socket,
                                                  const FenceOptions& options,
                                                  const WaitLimit& limit) {
  PrepareCheckpointRequest request{.bound_to_peer = options.bound_to_us};
  if (options.deadline) {
    request.deadline_ms = std::chrono::ceil<std::chrono::milliseconds>(*options.deadline).count();
  }
  return Ask<CheckpointStateResponse>(socket, request, limit);
}

Result<CheckpointStateResponse> AbortCheckpoint(const std::string& socket, const std::string& token,
                                                const WaitLimit& limit) {
  return Ask<CheckpointStateResponse>(socket, AbortCheckpointRequest{.token = token}, limit);
}

Result<CheckpointStateResponse> CompleteRestore(const std::string& socket, const std::string& token,
                                                const WaitLimit& limit) {
  return Ask<CheckpointStateResponse>(socket, CompleteRestoreRequest{.token = token}, limit);
}

Result<CheckpointStateResponse> ReadCheckpointState(const std::string& socket,
                                                    const WaitLimit& limit) {
  return Ask<CheckpointStateResponse>(socket, GetCheckpointStateRequest{}, limit);
}

}  // namespace hearth::gms
