#include "agent/rpc/call.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/result.h"
#include "base/strings.h"

namespace hearth::agent::rpc {
namespace {

constexpr int kLargestAnswer = 16 << 20;
constexpr std::chrono::milliseconds kConnectPiece(50);
constexpr int kSoonestRetryMilliseconds = 50;
constexpr int kLatestRetryMilliseconds = 1000;

Code CodeOf(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::NOT_FOUND:
      return Code::kNotFound;
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::OUT_OF_RANGE:
      return Code::kInvalid;
    case grpc::StatusCode::ALREADY_EXISTS:
      return Code::kAlreadyExists;
    case grpc::StatusCode::PERMISSION_DENIED:
      return Code::kPermissionDenied;
    case grpc::StatusCode::UNAUTHENTICATED:
      return Code::kUnauthenticated;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return Code::kExhausted;
    case grpc::StatusCode::UNIMPLEMENTED:
      return Code::kUnsupported;
    case grpc::StatusCode::ABORTED:
    case grpc::StatusCode::FAILED_PRECONDITION:
      return Code::kConflict;
    case grpc::StatusCode::DATA_LOSS:
      return Code::kDataLoss;
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::CANCELLED:
      return Code::kUnavailable;
    default:
      return Code::kInternal;
  }
}

}  // namespace

UnixServer::UnixServer(const std::string& socket, Clock& clock, Duration connect)
    : socket_(socket), clock_(clock), connect_(connect) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kLargestAnswer);
  arguments.SetInt(
      GRPC_ARG_MIN_RECONNECT_BACKOFF_MS,
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(connect).count()));
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kSoonestRetryMilliseconds);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLatestRetryMilliseconds);
  // Channels to the same place otherwise share a connection, and with it how it last failed.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  channel_ =
      grpc::CreateCustomChannel("unix:" + socket, grpc::InsecureChannelCredentials(), arguments);
}

void UnixServer::AwaitConnection(const WaitLimit& limit) const {
  const WaitLimit until = limit.AtMost(clock_, connect_);
  while (channel_->GetState(true) != GRPC_CHANNEL_READY && !until.Expired(clock_) &&
         ::access(socket_.c_str(), F_OK) == 0) {
    // In pieces, so that a caller who is told to stop is heard.
    channel_->WaitForConnected(std::chrono::system_clock::now() + kConnectPiece);
  }
}

Call::Call(const WaitLimit& limit, Duration timeout, Clock& clock)
    : limit_(limit),
      timeout_(timeout),
      clock_(clock),
      ends_with_limit_(limit.Remaining(clock) < timeout),
      cancel_(limit.stop, [this] { context_.TryCancel(); }) {
  if (const Duration left = std::min(limit.Remaining(clock), timeout); left != Duration::max()) {
    context_.set_deadline(std::chrono::system_clock::now() +
                          std::chrono::duration_cast<std::chrono::microseconds>(left));
  }
}

Status Translate(const grpc::Status& status, const WaitLimit& limit, const Clock& clock,
                 std::string_view what) {
  RETURN_IF_ERROR(limit.Check(clock, what));
  return Status(CodeOf(status.error_code()),
                fmt::format("{}: {}", what, Excerpt(status.error_message(), 500)));
}

Status Call::Outcome(const grpc::Status& status, std::string_view what) const {
  if (status.ok()) {
    return Status::Ok();
  }
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED && !limit_.stop.stop_requested()) {
    // gRPC's clock is another one: the limit may be over for it, and not yet for us.
    return ends_with_limit_
               ? DeadlineError(std::string(what))
               : UnavailableError(fmt::format("{}: no answer within {} s", what,
                                              std::chrono::duration<double>(timeout_).count()));
  }
  return Translate(status, limit_, clock_, what);
}

}  // namespace hearth::agent::rpc
