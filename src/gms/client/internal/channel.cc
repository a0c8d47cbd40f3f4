#include "gms/client/internal/channel.h"

#include <fmt/format.h>
#include <poll.h>

#include <iterator>

#include "gms/protocol/fd_channel.h"

namespace hearth::gms::internal {

Status Channel::Send(std::string_view frame, SteadyTime deadline) {
  while (!frame.empty()) {
    ASSIGN_OR_RETURN(const Transferred sent, SendSome(socket_.get(), frame, {}));
    frame.remove_prefix(sent.bytes);
    if (sent.would_block) {
      RETURN_IF_ERROR(waiter_.Wait(socket_.get(), POLLOUT, deadline, "the server does not read"));
    }
  }
  return {};
}

Status Channel::AwaitMessage(SteadyTime deadline) {
  while (!waiting_) {
    ASSIGN_OR_RETURN(waiting_, reader_.Next());
    if (!waiting_) {
      RETURN_IF_ERROR(Fill(deadline));
    }
  }
  return {};
}

Result<Document> Channel::Receive(SteadyTime deadline) {
  RETURN_IF_ERROR(AwaitMessage(deadline));
  return Document::Parse(*std::exchange(waiting_, std::nullopt));
}

Status Channel::Fill(SteadyTime deadline) {
  // Answers are seldom there already: to wait first saves a call that would find nothing.
  RETURN_IF_ERROR(waiter_.Wait(socket_.get(), POLLIN, deadline, "the server does not answer"));
  ASSIGN_OR_RETURN(const Transferred received, ReceiveSome(socket_.get(), reader_.Room(), fds_));
  if (received.ended) {
    return UnavailableError("the server closed the connection");
  }
  reader_.Filled(received.bytes);
  return {};
}

Result<std::vector<UniqueFd>> Channel::TakeFds(size_t count) {
  if (fds_.size() < count) {
    return DataLossError(
        fmt::format("{} descriptors were announced and {} came", count, fds_.size()));
  }
  const auto end = fds_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<UniqueFd> taken(std::make_move_iterator(fds_.begin()), std::make_move_iterator(end));
  fds_.erase(fds_.begin(), end);
  return taken;
}

}  // namespace hearth::gms::internal
