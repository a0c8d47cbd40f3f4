#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "base/wait_limit.h"
#include "gms/protocol/codec.h"
#include "gms/protocol/errors.h"
#include "gms/protocol/frame.h"

namespace hearth::gms {

// The reason of a connection that failed because there is nobody at the socket, or no socket.
inline constexpr std::string_view kNobodyListens = "NobodyListens";

// A client's end of a connection: sends messages, waits for answers and the descriptors that come
// with them. Blocking, within the limit of each call; a failed call leaves the stream somewhere in
// the middle, so that the channel is good for nothing but to be dropped, unless it was Receive
// that came too early (kDeadlineExceeded): that may be asked again. Not thread-safe.
class MessageChannel {
 public:
  // Waits for a server that is not there yet, looking again every few milliseconds; a limit that
  // is over tries once. kUnavailable says what stood in the way, kInvalid that the path cannot be.
  static Result<MessageChannel> Connect(const std::string& path, const WaitLimit& limit);
  explicit MessageChannel(UniqueFd socket);

  template <typename M>
  Status Send(const M& message, const WaitLimit& limit) {
    return SendFrame(EncodeFrame(message), limit);
  }
  // The next message. Its descriptors are behind those not yet taken. What the server tells as an
  // error is one here; kUnavailable when it closed the connection.
  template <typename M>
  Result<M> Receive(const WaitLimit& limit) {
    ASSIGN_OR_RETURN(const Document document, ReceiveDocument(limit));
    if (document.Is<M>()) {
      return document.As<M>();
    }
    return Unexpected(document, M::kType);
  }
  template <typename Response, typename Request>
  Result<Response> Call(const Request& request, const WaitLimit& limit) {
    RETURN_IF_ERROR(Send(request, limit));
    return Receive<Response>(limit);
  }

  // The next `count` descriptors, in the order they were sent. kDataLoss when fewer have come.
  Result<std::vector<UniqueFd>> TakeFds(size_t count);
  // Closes what nobody took; kDataLoss when there was anything: the server sent more descriptors
  // than its messages tell of.
  Status ExpectNoFds();
  int fd() const { return socket_.get(); }

  // For bytes that are no message.
  Status SendFrame(std::string_view bytes, const WaitLimit& limit);
  Result<Document> ReceiveDocument(const WaitLimit& limit);

 private:
  static Status Unexpected(const Document& document, const char* wanted);

  UniqueFd socket_;
  FrameReader reader_{kMaxResponseBytes};
  std::deque<UniqueFd> fds_;
};

}  // namespace hearth::gms
