#include "gms/client/internal/rpc.h"

#include <fmt/format.h>

#include "gms/client/internal/dial.h"
#include "gms/client/internal/refusal.h"

namespace hearth::gms::internal {

std::string MessageName(std::string_view type) {
  std::string name;
  bool upper = true;
  for (const char c : type) {
    if (c == '_') {
      upper = true;
    } else {
      name += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      upper = false;
    }
  }
  return name;
}

Result<std::unique_ptr<Rpc>> Rpc::Dial(const std::string& socket, SteadyTime connect_deadline,
                                       std::stop_token stop) {
  ASSIGN_OR_RETURN(std::unique_ptr<Waiter> waiter, Waiter::Make(std::move(stop)));
  ASSIGN_OR_RETURN(UniqueFd fd, internal::Dial(socket, *waiter, connect_deadline));
  return std::unique_ptr<Rpc>(new Rpc(socket, std::move(waiter), std::move(fd)));
}

Rpc::Rpc(std::string socket, std::unique_ptr<Waiter> waiter, UniqueFd fd)
    : socket_(std::move(socket)), waiter_(std::move(waiter)) {
  channel_.emplace(std::move(fd), *waiter_);
}

Status Rpc::SendFrame(std::string_view request, std::string_view frame, SteadyTime deadline) {
  if (!channel_) {
    return Broken(request, UnavailableError("not connected"));
  }
  if (frame.size() > kFrameHeaderBytes + kMaxRequestBytes) {
    return InvalidError(fmt::format("GMS request {} has {} bytes, at most {} are taken",
                                    MessageName(request), frame.size(), kMaxRequestBytes));
  }
  const Status sent = channel_->Send(frame, deadline);
  return sent.ok() ? sent : Broken(request, sent);
}

Result<Document> Rpc::ReceiveDocument(std::string_view request, SteadyTime deadline) {
  if (!channel_) {
    return Broken(request, UnavailableError("not connected"));
  }
  Result<Document> document = channel_->Receive(deadline);
  return document.ok() ? std::move(document) : Broken(request, document.status());
}

Status Rpc::AwaitMessage(std::string_view request, SteadyTime deadline) {
  if (!channel_) {
    return Broken(request, UnavailableError("not connected"));
  }
  const Status ready = channel_->AwaitMessage(deadline);
  return ready.ok() || ready.Is(Code::kDeadlineExceeded) ? ready : Broken(request, ready);
}

Result<std::vector<UniqueFd>> Rpc::TakeFds(std::string_view request, size_t count) {
  Result<std::vector<UniqueFd>> fds = channel_->TakeFds(count);
  return fds.ok() ? std::move(fds) : Broken(request, fds.status());
}

Status Rpc::ExpectNoFds(std::string_view request) {
  if (const size_t surplus = channel_->fds_waiting(); surplus != 0) {
    return Broken(request, DataLossError(fmt::format(
                               "{} unexpected descriptors came and were closed", surplus)));
  }
  return {};
}

Status Rpc::Broken(std::string_view request, const Status& why) {
  Close();
  return {why.Is(Code::kCancelled) ? Code::kCancelled : Code::kUnavailable,
          fmt::format("GMS request {} on {}: {}", MessageName(request), socket_, why.message())};
}

Status Rpc::Unexpected(std::string_view request, const Document& document, const char* wanted) {
  if (!document.Is<ErrorResponse>()) {
    return Broken(request, DataLossError(fmt::format("the server answered {} instead of {}",
                                                     document.type(), wanted)));
  }
  const Result<ErrorResponse> error = document.As<ErrorResponse>();
  if (!error.ok()) {
    return Broken(request, error.status());
  }
  RETURN_IF_ERROR(ExpectNoFds(request));
  return RefusalStatus(*error).WithContext(
      fmt::format("GMS request {} error", MessageName(request)));
}

}  // namespace hearth::gms::internal
