#include "gms/server/internal/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "gms/server/internal/allocation_job.h"
#include "gms/server/internal/layout_stream.h"
#include "gms/server/internal/session.h"

namespace hearth::gms::server {
namespace {

Status UnknownAllocation(const std::string& id) {
  return MakeError(ErrorCode::kUnknownAllocation, fmt::format("Unknown allocation: {}", id));
}

Result<const Allocation*> FindAllocation(Session& session, const std::string& id) {
  ASSIGN_OR_RETURN(const Layout* layout, session.domain().LayoutOf(session.id()));
  const Allocation* allocation = layout->Find(id);
  if (allocation == nullptr) {
    return UnknownAllocation(id);
  }
  return allocation;
}

template <typename Response>
Response RecordAs(const Allocation& allocation) {
  return {.allocation_id = allocation.id,
          .size = static_cast<int64_t>(allocation.size),
          .aligned_size = static_cast<int64_t>(allocation.aligned_size),
          .tag = allocation.tag,
          .layout_slot = static_cast<int64_t>(allocation.slot)};
}

// ---- One function per request; what it returns other than ok is the answer.

Status Handle(Session& session, const CommitRequest& request) {
  const bool stay = request.in_place && session.extended();
  std::vector<MemoryHandle> pieces;
  if (const auto layout = session.domain().LayoutOf(session.id()); layout.ok()) {
    for (const Allocation* allocation : (*layout)->BySlot()) {
      pieces.push_back(allocation->memory);
    }
  }
  ASSIGN_OR_RETURN(auto committed, session.domain().Commit(session.id(), stay));
  CommitResponse response{.success = true};
  if (session.extended()) {
    response.memory_layout_hash = std::move(committed.hash);
    response.generation = committed.generation;
  }
  session.Reply(response);
  if (!stay) {
    session.Finish();
  }
  session.service().device().Seal(std::move(pieces));
  session.service().Settle();
  return Status::Ok();
}

Status Handle(Session& session, const CommitLayoutRequest&) {
  ASSIGN_OR_RETURN(auto committed, session.domain().CommitLayout(session.id()));
  session.Reply(CommitLayoutResponse{.success = true,
                                     .memory_layout_hash = std::move(committed.hash),
                                     .granted_lock_type = std::string(WireName(Grant::kRwData))});
  session.service().Settle();
  return Status::Ok();
}

Status Handle(Session& session, const GetLockStateRequest&) {
  const Domain::Facts facts = session.domain().Look();
  session.Reply(GetLockStateResponse{.state = std::string(WireName(facts.state)),
                                     .has_rw_session = facts.has_writer,
                                     .ro_session_count = static_cast<int64_t>(facts.readers),
                                     .waiting_writers = static_cast<int64_t>(facts.waiting_writers),
                                     .committed = facts.committed,
                                     .is_ready = facts.ready,
                                     .layout_committed = facts.layout_committed});
  return Status::Ok();
}

Status Handle(Session& session, const GetAllocationStateRequest&) {
  ASSIGN_OR_RETURN(const Layout* layout, session.domain().LayoutOf(session.id()));
  session.Reply(GetAllocationStateResponse{static_cast<int64_t>(layout->allocation_count())});
  return Status::Ok();
}

Status Handle(Session& session, const AllocateRequest& request) {
  return AllocationJob::Start(session,
                              {{.allocation_id = session.extended() ? request.allocation_id : "",
                                .size = request.size,
                                .tag = request.tag}},
                              AllocationJob::Answer::kSingle);
}

Status Handle(Session& session, const AllocateBatchRequest& request) {
  return AllocationJob::Start(
      session, request.items,
      request.with_fds ? AllocationJob::Answer::kBatchWithFds : AllocationJob::Answer::kBatch);
}

Access AccessOf(Session& session) {
  return session.domain().GrantOf(session.id()) == Grant::kRo ? Access::kRead : Access::kReadWrite;
}

Status Handle(Session& session, const ExportAllocationRequest& request) {
  ASSIGN_OR_RETURN(const Allocation* allocation, FindAllocation(session, request.allocation_id));
  session.BeginWork();
  session.service().device().Export(
      {allocation->memory}, AccessOf(session),
      [weak = session.weak_from_this(),
       record = RecordAs<ExportAllocationResponse>(*allocation)](Result<std::vector<LentFd>> fds) {
        if (const auto alive = weak.lock()) {
          fds.ok() ? alive->Reply(record, *std::move(fds))
                   : alive->Fail(fds.status().WithReason(ReasonOf(ErrorCode::kDeviceFailed)));
          alive->EndWork();
        }
      });
  return Status::Ok();
}

Status Handle(Session& session, const GetAllocationRequest& request) {
  ASSIGN_OR_RETURN(const Allocation* allocation, FindAllocation(session, request.allocation_id));
  session.Reply(RecordAs<GetAllocationResponse>(*allocation));
  return Status::Ok();
}

Status Handle(Session& session, const ListAllocationsRequest& request) {
  ASSIGN_OR_RETURN(const Layout* layout, session.domain().LayoutOf(session.id()));
  ListAllocationsResponse response;
  for (const Allocation* allocation : layout->BySlot()) {
    if (!request.tag || allocation->tag == *request.tag) {
      response.allocations.push_back(RecordAs<GetAllocationResponse>(*allocation));
    }
  }
  session.Reply(response);
  return Status::Ok();
}

Status Handle(Session& session, const FreeAllocationRequest& request) {
  ASSIGN_OR_RETURN(const bool freed, session.domain().Free(session.id(), request.allocation_id));
  session.Reply(FreeAllocationResponse{freed});
  session.service().Settle();
  return Status::Ok();
}

Status Handle(Session& session, const FreeBatchRequest& request) {
  FreeBatchResponse response;
  for (const std::string& id : request.allocation_ids) {
    ASSIGN_OR_RETURN(const bool freed, session.domain().Free(session.id(), id));
    response.freed += freed ? 1 : 0;
  }
  session.Reply(response);
  session.service().Settle();
  return Status::Ok();
}

Status CheckMetadata(const std::string& key, int64_t offset) {
  RETURN_IF_ERROR(CheckName("key", key));
  if (offset < 0) {
    return InvalidError("offset_bytes must be >= 0");
  }
  return Status::Ok();
}

Status Handle(Session& session, const MetadataPutRequest& request) {
  RETURN_IF_ERROR(CheckMetadata(request.key, request.offset_bytes));
  RETURN_IF_ERROR(session.domain().Put(session.id(), request.key,
                                       {.allocation_id = request.allocation_id,
                                        .offset_bytes = static_cast<uint64_t>(request.offset_bytes),
                                        .value = request.value}));
  session.Reply(MetadataPutResponse{true});
  return Status::Ok();
}

// What a key held before, to put it back when a later one is refused.
struct Before {
  std::string key;
  std::optional<Metadata> metadata;
};

Status Handle(Session& session, const MetadataPutBatchRequest& request) {
  ASSIGN_OR_RETURN(const Layout* layout, session.domain().LayoutOf(session.id()));
  std::vector<Before> before;
  Status status;
  for (const MetadataItem& item : request.items) {
    status = CheckMetadata(item.key, item.offset_bytes);
    const Metadata* old = layout->Get(item.key);
    Before entry{item.key, old == nullptr ? std::nullopt : std::optional(*old)};
    if (status.ok()) {
      status = session.domain().Put(session.id(), item.key,
                                    {.allocation_id = item.allocation_id,
                                     .offset_bytes = static_cast<uint64_t>(item.offset_bytes),
                                     .value = item.value});
    }
    if (!status.ok()) {
      break;
    }
    before.push_back(std::move(entry));
  }
  if (status.ok()) {
    session.Reply(MetadataPutBatchResponse{static_cast<int64_t>(request.items.size())});
    return status;
  }
  for (auto entry = before.rbegin(); entry != before.rend(); ++entry) {
    if (entry->metadata) {
      (void)session.domain().Put(session.id(), entry->key, *std::move(entry->metadata));
    } else {
      (void)session.domain().Delete(session.id(), entry->key);
    }
  }
  return status;
}

Status Handle(Session& session, const MetadataGetRequest& request) {
  ASSIGN_OR_RETURN(const Layout* layout, session.domain().LayoutOf(session.id()));
  MetadataGetResponse response;
  if (const Metadata* metadata = layout->Get(request.key)) {
    response = {.found = true,
                .allocation_id = metadata->allocation_id,
                .offset_bytes = static_cast<int64_t>(metadata->offset_bytes),
                .value = metadata->value};
  }
  session.Reply(response);
  return Status::Ok();
}

Status Handle(Session& session, const MetadataDeleteRequest& request) {
  ASSIGN_OR_RETURN(const bool deleted, session.domain().Delete(session.id(), request.key));
  session.Reply(MetadataDeleteResponse{deleted});
  return Status::Ok();
}

Status Handle(Session& session, const MetadataListRequest& request) {
  ASSIGN_OR_RETURN(const Layout* layout, session.domain().LayoutOf(session.id()));
  MetadataListResponse response;
  const auto& metadata = layout->metadata();
  for (auto it = metadata.lower_bound(request.prefix);
       it != metadata.end() && it->first.starts_with(request.prefix); ++it) {
    response.keys.push_back(it->first);
  }
  session.Reply(response);
  return Status::Ok();
}

Status Handle(Session& session, const GetMemoryLayoutHashRequest&) {
  ASSIGN_OR_RETURN(std::string hash, session.domain().HashOf(session.id()));
  session.Reply(GetMemoryLayoutHashResponse{std::move(hash)});
  return Status::Ok();
}

Status Handle(Session& session, const OpenLayoutRequest& request) {
  return LayoutStream::Start(session, request);
}

Status Handle(Session& session, const AbortRequest&) {
  RETURN_IF_ERROR(session.domain().Abort(session.id()));
  session.service().Settle();
  session.BeginWork();
  session.service().device().AfterReleases([weak = session.weak_from_this()] {
    if (const auto alive = weak.lock()) {
      alive->Reply(AbortResponse{});
      alive->EndWork();
    }
  });
  return Status::Ok();
}

// ---- The table.

struct Row {
  std::string_view type;
  bool extension;
  Status (*answer)(Session&, const Document&);
};

template <typename Request>
Status Answer(Session& session, const Document& document) {
  // Who speaks the extension agreed on what there is; older clients may be newer than we know.
  ASSIGN_OR_RETURN(
      const auto request,
      document.As<Request>(session.extended() ? UnknownFields::kReject : UnknownFields::kIgnore));
  return Handle(session, request);
}

template <typename Request>
constexpr Row Plain() {
  return {Request::kType, false, Answer<Request>};
}
template <typename Request>
constexpr Row Extended() {
  return {Request::kType, true, Answer<Request>};
}

constexpr auto kRows = std::to_array<Row>({
    Plain<CommitRequest>(),
    Plain<CommitLayoutRequest>(),
    Plain<GetLockStateRequest>(),
    Plain<GetAllocationStateRequest>(),
    Plain<AllocateRequest>(),
    Plain<ExportAllocationRequest>(),
    Plain<GetAllocationRequest>(),
    Plain<ListAllocationsRequest>(),
    Plain<FreeAllocationRequest>(),
    Plain<MetadataPutRequest>(),
    Plain<MetadataGetRequest>(),
    Plain<MetadataDeleteRequest>(),
    Plain<MetadataListRequest>(),
    Plain<GetMemoryLayoutHashRequest>(),
    Extended<AllocateBatchRequest>(),
    Extended<FreeBatchRequest>(),
    Extended<MetadataPutBatchRequest>(),
    Extended<OpenLayoutRequest>(),
    Extended<AbortRequest>(),
});

// allocate_request -> AllocateRequest: how refusals have always named requests.
std::string MessageName(std::string_view type) {
  std::string name;
  bool upper = true;
  for (const char c : type) {
    if (c == '_') {
      upper = true;
      continue;
    }
    name.push_back(upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c);
    upper = false;
  }
  return name;
}

std::string Upper(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

// A message that may only come first, or that there is none of.
Status NoSuchRequest(Session& session, const Document& document) {
  if (document.Is<HandshakeRequest>()) {
    return MakeError(ErrorCode::kUnknownMessage, "handshake is valid only as the first message");
  }
  if (document.Is<GetRuntimeStateRequest>() || document.Is<GetEventHistoryRequest>()) {
    const auto grant = session.domain().GrantOf(session.id());
    return MakeError(
        ErrorCode::kNotAllowed,
        fmt::format("{} not allowed for {} session in state {}", MessageName(document.type()),
                    grant ? Upper(WireName(*grant)) : "ended",
                    WireName(session.domain().Look().state)));
  }
  return MakeError(ErrorCode::kUnknownMessage,
                   fmt::format("no request of type {} here", document.type().substr(0, 64)));
}

}  // namespace

Status AnswerRequest(Session& session, const Document& document) {
  const auto* row = std::find_if(kRows.begin(), kRows.end(),
                                 [&](const Row& r) { return document.type() == r.type; });
  if (row == kRows.end() || (row->extension && !session.extended())) {
    return NoSuchRequest(session, document);
  }
  return row->answer(session, document);
}

AllocationItem ToItem(const Allocation& allocation) { return RecordAs<AllocationItem>(allocation); }

Status CheckName(const char* what, const std::string& name) {
  if (name.size() > kMaxNameBytes) {
    return InvalidError(
        fmt::format("{} has {} bytes; at most {} are kept", what, name.size(), kMaxNameBytes));
  }
  return Status::Ok();
}

}  // namespace hearth::gms::server
