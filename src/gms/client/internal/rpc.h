#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "gms/client/internal/channel.h"
#include "gms/client/internal/waiter.h"
#include "gms/protocol/frame.h"

namespace hearth::gms::internal {

// One connection to a server, as typed calls. Owns how failures are told: see session.h. One thread
// at a time.
class Rpc {
 public:
  // Waits until `connect_deadline` for the socket. `stop` ends every wait, now and later.
  static Result<std::unique_ptr<Rpc>> Dial(const std::string& socket, SteadyTime connect_deadline,
                                           std::stop_token stop);

  // A request with one answer, without descriptors.
  template <typename Response, typename Request>
  Result<Response> Call(const Request& request, SteadyTime deadline) {
    RETURN_IF_ERROR(Send(request, deadline));
    ASSIGN_OR_RETURN(Response response, Receive<Response>(Request::kType, deadline));
    RETURN_IF_ERROR(ExpectNoFds(Request::kType));
    return response;
  }

  template <typename Request>
  Status Send(const Request& request, SteadyTime deadline) {
    return SendFrame(Request::kType, EncodeFrame(request), deadline);
  }

  // The next answer to `request`; its descriptors are taken with TakeFds.
  template <typename Response>
  Result<Response> Receive(std::string_view request, SteadyTime deadline) {
    ASSIGN_OR_RETURN(const Document document, ReceiveDocument(request, deadline));
    if (!document.Is<Response>()) {
      return Unexpected(request, document, Response::kType);
    }
    Result<Response> response = document.As<Response>();
    return response.ok() ? std::move(response) : Broken(request, response.status());
  }
  // Ok once something is there to receive. kDeadlineExceeded leaves the connection as it is.
  Status AwaitMessage(std::string_view request, SteadyTime deadline);
  Result<std::vector<UniqueFd>> TakeFds(std::string_view request, size_t count);
  // Descriptors that nobody asked for: the stream cannot be trusted.
  Status ExpectNoFds(std::string_view request);

  // Ends the connection and says so: "GMS request <Name> on <socket>: <why>", kUnavailable unless
  // it was cancelled.
  Status Broken(std::string_view request, const Status& why);

  const std::string& socket() const { return socket_; }
  bool connected() const { return channel_.has_value(); }
  void Close() { channel_.reset(); }

 private:
  Rpc(std::string socket, std::unique_ptr<Waiter> waiter, UniqueFd fd);
  Status SendFrame(std::string_view request, std::string_view frame, SteadyTime deadline);
  Result<Document> ReceiveDocument(std::string_view request, SteadyTime deadline);
  // The server's refusal, or an answer to something else.
  Status Unexpected(std::string_view request, const Document& document, const char* wanted);

  std::string socket_;
  std::unique_ptr<Waiter> waiter_;
  std::optional<Channel> channel_;
};

// "allocate_request" -> "AllocateRequest", as clients print it.
std::string MessageName(std::string_view type);

}  // namespace hearth::gms::internal
