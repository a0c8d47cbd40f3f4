#include "gms/server/internal/take_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gms/protocol/message_channel.h"
#include "gms/server/internal/domain_service.h"
#include "gms/server/internal/room_to_serve.h"

namespace hearth::gms::server {
namespace {

// Until a process that is being killed has closed all that it had.
constexpr Duration kTimeToDie = std::chrono::seconds(1);
constexpr Duration kLook = std::chrono::milliseconds(5);

Result<DeviceDomains*> FindDevice(ServerState& state, const std::string& uuid) {
  for (const auto& device : state.devices) {
    if (device->device().facts().uuid == uuid) {
      return device.get();
    }
  }
  return InvalidError(
      fmt::format("the other server has memory on {}, which this one does not serve", uuid));
}

Status AdoptAll(Device& device, const std::vector<AllocationItem>& items, std::vector<UniqueFd> fds,
                Layout& layout) {
  for (size_t i = 0; i < items.size(); ++i) {
    const AllocationItem& item = items[i];
    ASSIGN_OR_RETURN(const Device::Handle handle,
                     device.Adopt(std::move(fds[i]), static_cast<uint64_t>(item.aligned_size)));
    RETURN_IF_ERROR(layout.Add(item.allocation_id, static_cast<uint64_t>(item.size),
                               static_cast<uint64_t>(item.aligned_size), item.tag, handle));
  }
  return Status::Ok();
}

Status PutAll(const std::vector<MetadataItem>& items, Layout& layout) {
  for (const MetadataItem& item : items) {
    RETURN_IF_ERROR(layout.Put(item.key, {.allocation_id = item.allocation_id,
                                          .offset_bytes = static_cast<uint64_t>(item.offset_bytes),
                                          .value = item.value}));
  }
  return Status::Ok();
}

Status Install(DomainService& service, Layout layout, const HandOverResponse& last,
               bool same_numbers) {
  if (layout.Hash() != last.memory_layout_hash) {
    return DataLossError(
        fmt::format("{} of {} arrived with another hash", last.domain, last.gpu_uuid));
  }
  std::vector<Device::Handle> committed;
  if (!last.sealed) {
    const std::vector<const Allocation*> all = layout.BySlot();
    committed.resize(all.size());
    std::transform(all.begin(), all.end(), committed.begin(),
                   [](const Allocation* allocation) { return allocation->memory; });
  }
  RETURN_IF_ERROR(service.domain().Install(std::move(layout), last.generation, last.sealed));
  if (!committed.empty()) {
    service.device().Seal(std::move(committed));  // the other may not have come to it
  }
  if (last.writer_pid != 0) {
    service.TakeOverSealedWriter(same_numbers && last.writer_pid > 0
                                     ? static_cast<pid_t>(last.writer_pid)
                                     : kUnknownProcess);
  }
  return Status::Ok();
}

// One of a device that we do not have is nobody's: nothing of it was handed over.
void NumberOn(ServerState& state, const std::vector<NextGenerationItem>& items) {
  for (const NextGenerationItem& item : items) {
    const auto device = FindDevice(state, item.gpu_uuid);
    DomainService* service = device.ok() ? (*device)->Find(item.domain) : nullptr;
    if (service != nullptr) {
      service->domain().NumberFrom(item.generation);
    }
  }
}

bool BecomesFree(const ServerState& state, const WaitLimit& limit) {
  while (SomebodyAtOurSockets(state)) {
    if (limit.Expired(RealClock())) {
      return false;
    }
    SleepFor(RealClock(), std::min(kLook, limit.Remaining(RealClock())), limit.stop);
  }
  return true;
}

// Everything is here by now. When the other dies before it says that it goes, it is as good: what
// it had is nowhere else any more.
Status LetGo(ServerState& state, MessageChannel& channel, const WaitLimit& limit) {
  Status done = ToStatus(channel.Call<HandOverDoneResponse>(HandOverDoneRequest{}, limit));
  if (done.Is(Code::kUnavailable) && BecomesFree(state, limit.AtMost(RealClock(), kTimeToDie))) {
    state.log.Warning("the predecessor ended without a word after it had handed everything over",
                      {{"why", done.ToString()}});
    return Status::Ok();
  }
  return done;
}

}  // namespace

Status TakeOver(ServerState& state, Predecessor& predecessor, const WaitLimit& limit) {
  // Asked twice: before anybody has to stand still, and at the last moment.
  RETURN_IF_ERROR(CheckRoomToServe(state, predecessor));
  MessageChannel& channel = predecessor.channel;
  RETURN_IF_ERROR(channel.Send(HandOverRequest{}, limit));
  Layout layout(state.options.domain.limits);
  for (;;) {
    ASSIGN_OR_RETURN(const auto part, channel.Receive<HandOverResponse>(limit));
    if (part.domain.empty()) {
      state.nonce = part.nonce;
      NumberOn(state, part.next_generations);
      break;
    }
    ASSIGN_OR_RETURN(DeviceDomains * device, FindDevice(state, part.gpu_uuid));
    DomainService* service = device->Find(part.domain);
    if (service == nullptr) {
      return InvalidError(fmt::format("the other server has a domain {}", part.domain));
    }
    ASSIGN_OR_RETURN(auto fds, channel.TakeFds(part.allocations.size()));
    RETURN_IF_ERROR(AdoptAll(device->device().device(), part.allocations, std::move(fds), layout));
    RETURN_IF_ERROR(PutAll(part.metadata, layout));
    if (!part.more) {
      RETURN_IF_ERROR(Install(*service, std::exchange(layout, Layout(state.options.domain.limits)),
                              part, predecessor.same_numbers));
    }
  }
  RETURN_IF_ERROR(channel.ExpectNoFds());
  RETURN_IF_ERROR(CheckRoomToServe(state, predecessor));
  return LetGo(state, channel, limit);
}

void TellTaken(const ServerState& state, Predecessor& predecessor) {
  const Status told =
      predecessor.channel.Send(HandOverTakenNotice{}, WaitLimit::For(RealClock(), kTimeToDie));
  if (!told.ok()) {
    state.log.Warning("the predecessor could not be told that we serve",
                      {{"why", told.ToString()}});
  }
}

}  // namespace hearth::gms::server
