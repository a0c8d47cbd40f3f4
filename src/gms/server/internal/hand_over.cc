#include "gms/server/internal/hand_over.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "gms/protocol/errors.h"
#include "gms/server/internal/requests.h"

namespace hearth::gms::server {
namespace {

// In one message.
constexpr size_t kMetadataBytes = 1U << 20;

// What it said last may still be there to be read.
bool HasHungUp(int socket) {
  pollfd peer{.fd = socket, .events = POLLRDHUP, .revents = 0};
  return ::poll(&peer, 1, 0) > 0 && (peer.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

}  // namespace

Result<std::unique_ptr<HandOver>> HandOver::Begin(ServerState& state, Connection& connection) {
  for (const auto& device : state.devices) {
    if (device->fence().state().ready) {
      return MakeError(ErrorCode::kFenceConflict,
                       "a checkpoint is being taken; hand over when it is over");
    }
  }
  if (state.handing_over) {
    return MakeError(ErrorCode::kAlreadyExists, "another successor is taking over");
  }
  std::unique_ptr<HandOver> hand_over(new HandOver(state, connection));
  hand_over->SendNext();
  return hand_over;
}

HandOver::HandOver(ServerState& state, Connection& connection)
    : state_(state), connection_(connection) {
  state_.handing_over = true;
  state_.pause(true);
  for (const auto& device : state_.devices) {
    for (DomainService* service : {&device->weights(), &device->kv_cache()}) {
      if (const auto kept = service->domain().Newest()) {
        parts_.push_back({device.get(), service, kept->generation});
      }
    }
  }
  limit_ = state_.loop.At(RealClock().Now() + state_.options.hand_over_limit, [this] {
    GiveUp(DeadlineError("the successor does not get on; this server goes on"));
  });
}

HandOver::~HandOver() {
  *alive_ = false;
  state_.loop.Cancel(limit_);
  if (!done_) {
    state_.handing_over = false;
    state_.pause(false);
  } else if (!taken_) {
    state_.log.Warning("the successor ended before it served; this server goes on");
    state_.serve_again();
  }
}

void HandOver::SendNext() {
  if (part_ == parts_.size()) {
    return SendLast();
  }
  SendSome(parts_[part_]);
}

// Allocations with descriptors, as many as go with one message; then metadata.
void HandOver::SendSome(Part part) {
  const auto kept = part.service->domain().Newest();
  if (!kept || kept->generation != part.generation) {
    return GiveUp(UnavailableError("what was to be handed over is no more; try again"));
  }
  const std::vector<const Allocation*> all = kept->layout->BySlot();
  const size_t end = std::min(all.size(), allocation_ + connection_.most_fds());
  HandOverResponse response{.gpu_uuid = part.device->device().facts().uuid,
                            .domain = part.service->tag(),
                            .generation = kept->generation,
                            .sealed = kept->sealed,
                            .memory_layout_hash = kept->layout->Hash(),
                            .writer_pid = kept->sealed ? part.service->SealedWriter() : 0};
  std::vector<Device::Handle> handles;
  for (; allocation_ < end; ++allocation_) {
    response.allocations.push_back(ToItem(*all[allocation_]));
    handles.push_back(all[allocation_]->memory);
  }
  response.more = end < all.size() || !AddMetadata(*kept->layout, response);
  if (!response.more) {
    ++part_;
    allocation_ = 0;
    last_key_.reset();
  }
  part.device->device().Export(std::move(handles), Access::kReadWrite,
                               [this, alive = alive_, response = std::move(response)](
                                   Result<std::vector<LentFd>> fds) mutable {
                                 if (!*alive) {
                                   return;
                                 }
                                 if (!fds.ok()) {
                                   return GiveUp(fds.status());
                                 }
                                 connection_.Send(EncodeFrame(response), *std::move(fds));
                                 connection_.WhenSent([this, alive] {
                                   if (*alive) {
                                     SendNext();
                                   }
                                 });
                               });
}

// Whether that was all of it.
bool HandOver::AddMetadata(const Layout& layout, HandOverResponse& response) {
  const auto& all = layout.metadata();
  auto it = last_key_ ? all.upper_bound(*last_key_) : all.begin();
  size_t bytes = 0;
  for (; it != all.end() && bytes < kMetadataBytes; ++it) {
    response.metadata.push_back({.key = it->first,
                                 .allocation_id = it->second.allocation_id,
                                 .offset_bytes = static_cast<int64_t>(it->second.offset_bytes),
                                 .value = it->second.value});
    bytes += it->first.size() + it->second.value.size();
    last_key_ = it->first;
  }
  return it == all.end();
}

void HandOver::SendLast() {
  sent_ = true;
  HandOverResponse response{.nonce = state_.nonce};
  for (const auto& device : state_.devices) {
    for (DomainService* service : {&device->weights(), &device->kv_cache()}) {
      response.next_generations.push_back({.gpu_uuid = device->device().facts().uuid,
                                           .domain = service->tag(),
                                           .generation = service->domain().NextGeneration()});
    }
  }
  connection_.Send(EncodeFrame(response));
}

// The end of the connection is the end of this, and then everybody goes on.
void HandOver::GiveUp(const Status& why) {
  state_.log.Warning("the hand-over is given up", {{"why", why.ToString()}});
  connection_.Send(EncodeFrame(ToErrorResponse(why)));
  connection_.FinishAndClose();
}

Status HandOver::Done() {
  if (!sent_ || done_) {
    return InvalidError(done_ ? "that was said already" : "not everything was sent yet");
  }
  if (HasHungUp(connection_.fd())) {
    return UnavailableError("the successor is gone; this server goes on");
  }
  done_ = true;
  state_.loop.Cancel(limit_);
  state_.remove_sockets();
  connection_.Send(EncodeFrame(HandOverDoneResponse{}));
  return Status::Ok();
}

Status HandOver::Taken() {
  if (!done_) {
    return InvalidError("the sockets are still this server's");
  }
  taken_ = true;
  state_.log.Info("handed over", {{"to_pid", static_cast<int64_t>(connection_.peer().pid)}});
  state_.handed_over();
  return Status::Ok();
}

}  // namespace hearth::gms::server
