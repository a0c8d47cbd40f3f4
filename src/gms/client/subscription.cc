#include "gms/client/subscription.h"

#include <utility>

#include "gms/client/internal/rpc.h"

namespace hearth::gms {

Subscription::Subscription(std::unique_ptr<internal::Rpc> rpc, uint64_t newest)
    : rpc_(std::move(rpc)), newest_(newest) {}
Subscription::~Subscription() = default;

Result<std::unique_ptr<Subscription>> Subscription::Open(const std::string& socket, uint64_t after,
                                                         const WaitLimit& limit) {
  ASSIGN_OR_RETURN(auto rpc, internal::Rpc::Dial(socket, limit.deadline, limit.stop));
  // Notices may stand right behind the answer: they stay in the connection's buffer.
  ASSIGN_OR_RETURN(const SubscribeResponse response,
                   rpc->Call<SubscribeResponse>(SubscribeRequest{.after = after}, limit.deadline));
  return std::unique_ptr<Subscription>(new Subscription(std::move(rpc), response.sequence));
}

Result<ChangeNotice> Subscription::Next(SteadyTime deadline) {
  RETURN_IF_ERROR(rpc_->AwaitMessage(SubscribeRequest::kType, deadline));
  return rpc_->Receive<ChangeNotice>(SubscribeRequest::kType, SteadyTime::max());
}

}  // namespace hearth::gms
