#include "gms/server/internal/layout_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gms/server/internal/requests.h"

namespace hearth::gms::server {
namespace {

// Records in one response when no descriptors limit them, and bytes of metadata.
constexpr size_t kRecords = 4096;
constexpr size_t kMetadataBytes = 1U << 20;

Status CheckExpected(const OpenLayoutRequest& request, const OpenLayoutResponse& there) {
  const bool other_hash =
      !request.expected_hash.empty() && request.expected_hash != there.memory_layout_hash;
  const bool other_generation =
      request.expected_generation != 0 && request.expected_generation != there.generation;
  if (other_hash || other_generation) {
    return MakeError(ErrorCode::kStaleLayout,
                     fmt::format("Layout changed: there is generation {} with hash '{}'",
                                 there.generation, there.memory_layout_hash));
  }
  return Status::Ok();
}

}  // namespace

Status LayoutStream::Start(Session& session, const OpenLayoutRequest& request) {
  ASSIGN_OR_RETURN(const Layout* layout, session.domain().LayoutOf(session.id()));
  OpenLayoutResponse head;
  ASSIGN_OR_RETURN(head.generation, session.domain().GenerationOf(session.id()));
  ASSIGN_OR_RETURN(head.memory_layout_hash, session.domain().HashOf(session.id()));
  RETURN_IF_ERROR(CheckExpected(request, head));
  session.BeginWork();
  std::make_shared<LayoutStream>(session, request, *layout, std::move(head))->SendNext();
  return Status::Ok();
}

LayoutStream::LayoutStream(Session& session, const OpenLayoutRequest& request, const Layout& layout,
                           OpenLayoutResponse head)
    : session_(session.weak_from_this()),
      with_fds_(request.with_fds),
      access_(session.domain().GrantOf(session.id()) == Grant::kRo ? Access::kRead
                                                                   : Access::kReadWrite),
      head_(std::move(head)),
      allocations_(layout.BySlot()),
      metadata_(request.with_metadata ? layout.metadata().begin() : layout.metadata().end()),
      metadata_end_(layout.metadata().end()) {}

bool LayoutStream::AtEnd() const {
  return next_ == allocations_.size() && metadata_ == metadata_end_;
}

void LayoutStream::SendNext() {
  const auto session = session_.lock();
  if (!session) {
    return;
  }
  const size_t most = with_fds_ ? session->connection().most_fds() : kRecords;
  const size_t end = std::min(allocations_.size(), next_ + most);
  const std::vector<const Allocation*> part(allocations_.begin() + static_cast<ptrdiff_t>(next_),
                                            allocations_.begin() + static_cast<ptrdiff_t>(end));
  next_ = end;
  Export(part);
}

void LayoutStream::Export(const std::vector<const Allocation*>& part) {
  const auto session = session_.lock();
  if (!session) {
    return;
  }
  OpenLayoutResponse response = head_;
  std::vector<Device::Handle> handles;
  for (const Allocation* allocation : part) {
    response.allocations.push_back(ToItem(*allocation));
    handles.push_back(allocation->memory);
  }
  if (!with_fds_ || handles.empty()) {
    return Send(std::move(response), {});
  }
  session->service().device().Export(
      std::move(handles), access_,
      [self = shared_from_this(),
       response = std::move(response)](Result<std::vector<LentFd>> fds) mutable {
        if (fds.ok()) {
          return self->Send(std::move(response), *std::move(fds));
        }
        if (const auto alive = self->session_.lock()) {
          alive->Fail(fds.status().WithReason(ReasonOf(ErrorCode::kDeviceFailed)));
          alive->EndWork();
        }
      });
}

// Once all records are told.
void LayoutStream::AddMetadata(OpenLayoutResponse& response) {
  size_t bytes = 0;
  while (next_ == allocations_.size() && metadata_ != metadata_end_ && bytes < kMetadataBytes) {
    const auto& [key, metadata] = *metadata_;
    response.metadata.push_back({.key = key,
                                 .allocation_id = metadata.allocation_id,
                                 .offset_bytes = static_cast<int64_t>(metadata.offset_bytes),
                                 .value = metadata.value});
    bytes += key.size() + metadata.value.size() + metadata.allocation_id.size();
    ++metadata_;
  }
}

void LayoutStream::Send(OpenLayoutResponse response, std::vector<LentFd> fds) {
  const auto session = session_.lock();
  if (!session) {
    return;
  }
  AddMetadata(response);
  response.more = !AtEnd();
  const bool more = response.more;
  session->Reply(response, std::move(fds));
  if (!more) {
    return session->EndWork();
  }
  session->connection().WhenSent([self = shared_from_this()] { self->SendNext(); });
}

}  // namespace hearth::gms::server
