#include "gms/server/internal/take_over.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "gms/protocol/message_channel.h"
#include "gms/server/internal/domain_service.h"

namespace hearth::gms::server {
namespace {

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

Status Install(DomainService& service, Layout layout, const HandOverResponse& last) {
  if (layout.Hash() != last.memory_layout_hash) {
    return DataLossError(
        fmt::format("{} of {} arrived with another hash", last.domain, last.gpu_uuid));
  }
  RETURN_IF_ERROR(service.domain().Install(std::move(layout), last.generation, last.sealed));
  if (last.writer_pid > 0) {
    service.TakeOverSealedWriter(static_cast<pid_t>(last.writer_pid));
  }
  return Status::Ok();
}

}  // namespace

Status TakeOver(ServerState& state, const std::string& admin_path, const WaitLimit& limit) {
  ASSIGN_OR_RETURN(MessageChannel channel, MessageChannel::Connect(admin_path, limit));
  RETURN_IF_ERROR(channel.Send(HandOverRequest{}, limit));
  Layout layout(state.options.domain.limits);
  for (;;) {
    ASSIGN_OR_RETURN(const auto part, channel.Receive<HandOverResponse>(limit));
    if (part.domain.empty()) {
      state.nonce = part.nonce;
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
      RETURN_IF_ERROR(
          Install(*service, std::exchange(layout, Layout(state.options.domain.limits)), part));
    }
  }
  RETURN_IF_ERROR(channel.ExpectNoFds());
  return ToStatus(channel.Call<HandOverDoneResponse>(HandOverDoneRequest{}, limit));
}

}  // namespace hearth::gms::server
