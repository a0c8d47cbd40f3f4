#include "gms/client/admin.h"

#include <utility>

#include "gms/client/internal/rpc.h"

namespace hearth::gms {

Admin::Admin(std::unique_ptr<internal::Rpc> rpc) : rpc_(std::move(rpc)) {}
Admin::~Admin() = default;

Result<std::unique_ptr<Admin>> Admin::Connect(const std::string& socket, const WaitLimit& limit) {
  ASSIGN_OR_RETURN(auto rpc, internal::Rpc::Dial(socket, limit.deadline, limit.stop));
  return std::unique_ptr<Admin>(new Admin(std::move(rpc)));
}

Result<StatusResponse> Admin::ReadStatus(SteadyTime deadline) {
  return rpc_->Call<StatusResponse>(StatusRequest{}, deadline);
}

Result<bool> Admin::Evict(uint64_t session, SteadyTime deadline) {
  ASSIGN_OR_RETURN(const auto response,
                   rpc_->Call<EvictResponse>(EvictRequest{.session = session}, deadline));
  return response.evicted;
}

Result<std::string> Admin::ReadMetrics(SteadyTime deadline) {
  ASSIGN_OR_RETURN(auto response, rpc_->Call<MetricsResponse>(MetricsRequest{}, deadline));
  return std::move(response.text);
}

}  // namespace hearth::gms
