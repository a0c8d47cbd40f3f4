#include "gms/client/session.h"

#include <algorithm>
#include <utility>

#include "gms/client/internal/rpc.h"

namespace hearth::gms {

using internal::Rpc;

namespace {

// The server answers at the end of a wait that it was told; this is for its answer to arrive.
constexpr Duration kAnswerGrace = std::chrono::seconds(5);
// Items of a batch in one message, so that a frame stays small whatever the layout is.
constexpr size_t kBatch = 4096;
constexpr uint64_t kBatchBytes = 8ULL << 20;

template <typename Response>
AllocationItem ToItem(const Response& r) {
  return {.allocation_id = r.allocation_id,
          .size = r.size,
          .aligned_size = r.aligned_size,
          .tag = r.tag,
          .layout_slot = r.layout_slot};
}

template <typename T>
void Append(std::vector<T>& to, std::vector<T> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

Result<std::vector<MetadataItem>> ReadMetadata(Session& session) {
  ASSIGN_OR_RETURN(const std::vector<std::string> keys, session.ListMetadata());
  std::vector<MetadataItem> items;
  for (const std::string& key : keys) {
    ASSIGN_OR_RETURN(std::optional<MetadataItem> item, session.GetMetadata(key));
    if (item) {
      items.push_back(*std::move(item));
    }
  }
  return items;
}

uint64_t WeightOf(const MetadataItem& item) {
  return item.key.size() + item.allocation_id.size() + item.value.size() + 64;
}

Status StaleLayout(std::string_view expected, std::string_view found) {
  return ConflictError("Layout changed: expected hash " + std::string(expected) +
                       ", the server has " +
                       (found.empty() ? std::string("none") : std::string(found)))
      .WithReason(Session::kStaleLayout);
}

}  // namespace

struct Session::State {
  std::unique_ptr<Rpc> rpc;
  ConnectOptions options;
  Grant grant = Grant::kRo;
  bool committed = false;
  bool extended = false;
  ServerIdentity identity;
  std::string device_kind;
  uint64_t granularity = 0;
  uint64_t generation = 0;

  SteadyTime RpcDeadline() const {
    return options.rpc_timeout ? TimeAfter(RealClock().Now(), *options.rpc_timeout)
                               : SteadyTime::max();
  }
  template <typename Response, typename Request>
  Result<Response> Call(const Request& request) {
    return rpc->Call<Response>(request, RpcDeadline());
  }

  Status Shake(const WaitLimit& limit);
  Status Adopt(const HandshakeResponse& response);
  Status CheckIdentity() const;
  Status OpenExtended(const OpenLayoutOptions& options, const TakeLayout& take);
  static Status OpenPlain(const OpenLayoutOptions& options, const TakeLayout& take,
                          Session& session);
  Status AllocateExtended(std::span<const AllocationItem> items, bool with_fds,
                          const TakeBatch& take);
  static Status AllocatePlain(std::span<const AllocationItem> items, bool with_fds,
                              const TakeBatch& take, Session& session);
};

// ---- Connecting.

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::Connect(const ConnectOptions& options,
                                                  const WaitLimit& limit) {
  auto state = std::make_unique<State>();
  state->options = options;
  const SteadyTime connect_by = limit.AtMost(RealClock(), options.connect_timeout).deadline;
  ASSIGN_OR_RETURN(state->rpc, Rpc::Dial(options.socket, connect_by, limit.stop));
  RETURN_IF_ERROR(state->Shake(limit));
  return std::unique_ptr<Session>(new Session(std::move(state)));
}

Status Session::State::Shake(const WaitLimit& limit) {
  HandshakeRequest request;
  request.lock_type = WireName(options.lease);
  const WaitLimit admission =
      options.admission_timeout ? limit.AtMost(RealClock(), *options.admission_timeout) : limit;
  SteadyTime answer_by = SteadyTime::max();
  if (admission.deadline != SteadyTime::max()) {
    const Duration wait = admission.Remaining(RealClock());
    request.timeout_ms = std::chrono::ceil<std::chrono::milliseconds>(wait).count();
    answer_by = TimeAfter(admission.deadline, kAnswerGrace);
  }
  if (!options.plain) {
    request.extension = kExtensionVersion;
    request.client = options.client;
    request.expected_nonce = options.expected.nonce;
    request.expected_gpu_uuid = options.expected.gpu_uuid;
  }
  ASSIGN_OR_RETURN(const HandshakeResponse response,
                   rpc->Call<HandshakeResponse>(request, answer_by));
  return Adopt(response);
}

Status Session::State::Adopt(const HandshakeResponse& response) {
  if (!response.success) {
    rpc->Close();
    return DeadlineError("Timeout waiting for lock " + std::string(WireName(options.lease)) +
                         " on " + options.socket + ": somebody else kept it");
  }
  const auto granted = GrantFromWire(response.granted_lock_type.value_or(""));
  if (!granted) {
    return rpc->Broken(
        HandshakeRequest::kType,
        InternalError("unknown grant '" + response.granted_lock_type.value_or("") + "'"));
  }
  grant = *granted;
  committed = response.committed;
  extended = response.extension >= 1;
  identity = {.nonce = response.nonce, .gpu_uuid = response.gpu_uuid};
  device_kind = response.device_kind;
  granularity = response.granularity;
  generation = response.generation;
  Status right = CheckIdentity();
  if (!right.ok()) {
    rpc->Close();
  }
  return right;
}

Status Session::State::CheckIdentity() const {
  const auto differs = [](const std::string& expected, const std::string& found) {
    return !expected.empty() && expected != found;
  };
  if (differs(options.expected.nonce, identity.nonce) ||
      differs(options.expected.gpu_uuid, identity.gpu_uuid)) {
    return ConflictError("GMS server incarnation or physical GPU changed: " + options.socket +
                         " is " + identity.gpu_uuid + " " + identity.nonce + ", expected " +
                         options.expected.gpu_uuid + " " + options.expected.nonce)
        .WithReason(kOtherServer);
  }
  return {};
}

// ---- Facts.

const std::string& Session::socket() const { return state_->rpc->socket(); }
bool Session::connected() const { return state_->rpc->connected(); }
Grant Session::grant() const { return state_->grant; }
bool Session::committed() const { return state_->committed; }
bool Session::extended() const { return state_->extended; }
const ServerIdentity& Session::identity() const { return state_->identity; }
const std::string& Session::device_kind() const { return state_->device_kind; }
uint64_t Session::granularity() const { return state_->granularity; }
uint64_t Session::generation() const { return state_->generation; }

// ---- What every lease may do.

Result<GetLockStateResponse> Session::LockState() {
  return state_->Call<GetLockStateResponse>(GetLockStateRequest{});
}

Result<int64_t> Session::AllocationCount() {
  ASSIGN_OR_RETURN(const auto response,
                   state_->Call<GetAllocationStateResponse>(GetAllocationStateRequest{}));
  return response.allocation_count;
}

Result<AllocationItem> Session::Get(const std::string& allocation_id) {
  ASSIGN_OR_RETURN(const auto response, state_->Call<GetAllocationResponse>(
                                            GetAllocationRequest{.allocation_id = allocation_id}));
  return ToItem(response);
}

Result<std::vector<AllocationItem>> Session::List(std::optional<std::string> tag) {
  ASSIGN_OR_RETURN(const auto response, state_->Call<ListAllocationsResponse>(
                                            ListAllocationsRequest{.tag = std::move(tag)}));
  std::vector<AllocationItem> items;
  items.reserve(response.allocations.size());
  for (const GetAllocationResponse& allocation : response.allocations) {
    items.push_back(ToItem(allocation));
  }
  return items;
}

Result<ExportedAllocation> Session::Export(const std::string& allocation_id) {
  Rpc& rpc = *state_->rpc;
  const SteadyTime deadline = state_->RpcDeadline();
  const ExportAllocationRequest request{.allocation_id = allocation_id};
  RETURN_IF_ERROR(rpc.Send(request, deadline));
  ASSIGN_OR_RETURN(const auto response,
                   rpc.Receive<ExportAllocationResponse>(request.kType, deadline));
  ASSIGN_OR_RETURN(std::vector<UniqueFd> fds, rpc.TakeFds(request.kType, 1));
  RETURN_IF_ERROR(rpc.ExpectNoFds(request.kType));
  return ExportedAllocation{ToItem(response), std::move(fds.front())};
}

Result<std::optional<MetadataItem>> Session::GetMetadata(const std::string& key) {
  ASSIGN_OR_RETURN(auto response,
                   state_->Call<MetadataGetResponse>(MetadataGetRequest{.key = key}));
  if (!response.found) {
    return std::optional<MetadataItem>();
  }
  return std::optional<MetadataItem>({.key = key,
                                      .allocation_id = response.allocation_id.value_or(""),
                                      .offset_bytes = response.offset_bytes.value_or(0),
                                      .value = std::move(response.value).value_or("")});
}

Result<std::vector<std::string>> Session::ListMetadata(const std::string& prefix) {
  ASSIGN_OR_RETURN(auto response,
                   state_->Call<MetadataListResponse>(MetadataListRequest{.prefix = prefix}));
  return std::move(response.keys);
}

Result<std::string> Session::LayoutHash() {
  ASSIGN_OR_RETURN(auto response,
                   state_->Call<GetMemoryLayoutHashResponse>(GetMemoryLayoutHashRequest{}));
  return std::move(response.memory_layout_hash);
}

// ---- Whole layouts.

Result<OpenedLayout> Session::OpenLayout(const OpenLayoutOptions& options) {
  OpenedLayout whole;
  RETURN_IF_ERROR(OpenLayoutInParts(options, [&](OpenedLayout part) -> Status {
    whole.generation = part.generation;
    whole.hash = std::move(part.hash);
    Append(whole.allocations, std::move(part.allocations));
    Append(whole.fds, std::move(part.fds));
    Append(whole.metadata, std::move(part.metadata));
    return {};
  }));
  return whole;
}

Status Session::OpenLayoutInParts(const OpenLayoutOptions& options, const TakeLayout& take) {
  return state_->extended ? state_->OpenExtended(options, take)
                          : state_->OpenPlain(options, take, *this);
}

Status Session::State::OpenExtended(const OpenLayoutOptions& options, const TakeLayout& take) {
  const OpenLayoutRequest request{.expected_hash = options.expected_hash,
                                  .expected_generation = options.expected_generation,
                                  .with_fds = options.with_fds,
                                  .with_metadata = options.with_metadata};
  RETURN_IF_ERROR(rpc->Send(request, RpcDeadline()));
  Status taken;
  bool more = true;
  while (more) {  // to the end, whatever `take` says, so that the next answer is the next one
    ASSIGN_OR_RETURN(OpenLayoutResponse part,
                     rpc->Receive<OpenLayoutResponse>(request.kType, RpcDeadline()));
    ASSIGN_OR_RETURN(auto fds,
                     rpc->TakeFds(request.kType, options.with_fds ? part.allocations.size() : 0));
    more = part.more;
    if (taken.ok()) {
      taken = take({.generation = part.generation,
                    .hash = std::move(part.memory_layout_hash),
                    .allocations = std::move(part.allocations),
                    .fds = std::move(fds),
                    .metadata = std::move(part.metadata)});
    }
  }
  RETURN_IF_ERROR(rpc->ExpectNoFds(request.kType));
  return taken;
}

Status Session::State::OpenPlain(const OpenLayoutOptions& options, const TakeLayout& take,
                                 Session& session) {
  OpenedLayout first;
  ASSIGN_OR_RETURN(first.hash, session.LayoutHash());
  if (!options.expected_hash.empty() && options.expected_hash != first.hash) {
    return StaleLayout(options.expected_hash, first.hash);
  }
  ASSIGN_OR_RETURN(std::vector<AllocationItem> allocations, session.List());
  if (options.with_metadata) {
    ASSIGN_OR_RETURN(first.metadata, ReadMetadata(session));
  }
  if (!options.with_fds) {
    first.allocations = std::move(allocations);
    return take(std::move(first));
  }
  const std::string hash = first.hash;
  RETURN_IF_ERROR(take(std::move(first)));
  for (AllocationItem& allocation : allocations) {
    ASSIGN_OR_RETURN(ExportedAllocation exported, session.Export(allocation.allocation_id));
    OpenedLayout part{.hash = hash};
    part.allocations.push_back(std::move(allocation));
    part.fds.push_back(std::move(exported.fd));
    RETURN_IF_ERROR(take(std::move(part)));
  }
  return {};
}

// ---- What a writer may do.

Result<AllocationItem> Session::Allocate(uint64_t size, const std::string& tag,
                                         const std::string& allocation_id) {
  if (!allocation_id.empty() && !state_->extended) {
    return UnsupportedError("the server at " + socket() +
                            " chooses names of allocations itself; it does not take '" +
                            allocation_id + "'");
  }
  const AllocateRequest request{
      .size = static_cast<int64_t>(size), .tag = tag, .allocation_id = allocation_id};
  ASSIGN_OR_RETURN(const auto response,
                   state_->rpc->Call<AllocateResponse>(request, SteadyTime::max()));
  return AllocationItem{.allocation_id = response.allocation_id,
                        .size = response.size,
                        .aligned_size = response.aligned_size,
                        .tag = tag,
                        .layout_slot = response.layout_slot};
}

Result<AllocatedBatch> Session::AllocateBatch(std::span<const AllocationItem> items,
                                              bool with_fds) {
  AllocatedBatch whole;
  RETURN_IF_ERROR(AllocateInParts(items, with_fds, [&](AllocatedBatch part) -> Status {
    Append(whole.allocations, std::move(part.allocations));
    Append(whole.fds, std::move(part.fds));
    return {};
  }));
  return whole;
}

Status Session::AllocateInParts(std::span<const AllocationItem> items, bool with_fds,
                                const TakeBatch& take) {
  if (items.empty()) {
    return {};
  }
  return state_->extended ? state_->AllocateExtended(items, with_fds, take)
                          : state_->AllocatePlain(items, with_fds, take, *this);
}

Status Session::State::AllocateExtended(std::span<const AllocationItem> items, bool with_fds,
                                        const TakeBatch& take) {
  const AllocateBatchRequest request{.items = {items.begin(), items.end()}, .with_fds = with_fds};
  RETURN_IF_ERROR(rpc->Send(request, RpcDeadline()));
  Status taken;
  size_t count = 0;
  bool more = true;
  while (more) {
    ASSIGN_OR_RETURN(auto part,
                     rpc->Receive<AllocateBatchResponse>(request.kType, SteadyTime::max()));
    ASSIGN_OR_RETURN(auto fds, rpc->TakeFds(request.kType, with_fds ? part.items.size() : 0));
    count += part.items.size();
    more = part.more;
    if (taken.ok()) {
      taken = take({.allocations = std::move(part.items), .fds = std::move(fds)});
    }
  }
  if (count != items.size()) {
    return rpc->Broken(request.kType,
                       InternalError("the answer has another number of allocations"));
  }
  RETURN_IF_ERROR(rpc->ExpectNoFds(request.kType));
  return taken;
}

Status Session::State::AllocatePlain(std::span<const AllocationItem> items, bool with_fds,
                                     const TakeBatch& take, Session& session) {
  // Memory first, all of it: what cannot be had is known before anything is handed out.
  AllocatedBatch made;
  for (const AllocationItem& item : items) {
    Result<AllocationItem> one =
        session.Allocate(static_cast<uint64_t>(item.size), item.tag, item.allocation_id);
    if (!one.ok()) {
      for (const AllocationItem& allocation : made.allocations) {
        (void)session.Free(allocation.allocation_id);  // the first failure is the one to tell
      }
      return one.status();
    }
    made.allocations.push_back(*std::move(one));
  }
  if (!with_fds) {
    return take(std::move(made));
  }
  for (AllocationItem& allocation : made.allocations) {
    ASSIGN_OR_RETURN(ExportedAllocation exported, session.Export(allocation.allocation_id));
    AllocatedBatch part;
    part.allocations.push_back(std::move(allocation));
    part.fds.push_back(std::move(exported.fd));
    RETURN_IF_ERROR(take(std::move(part)));
  }
  return {};
}

Result<bool> Session::Free(const std::string& allocation_id) {
  ASSIGN_OR_RETURN(const auto response, state_->Call<FreeAllocationResponse>(
                                            FreeAllocationRequest{.allocation_id = allocation_id}));
  return response.success;
}

Result<int64_t> Session::FreeBatch(std::span<const std::string> allocation_ids) {
  int64_t freed = 0;
  if (state_->extended) {
    for (size_t i = 0; i < allocation_ids.size(); i += kBatch) {
      const auto part = allocation_ids.subspan(i, std::min(kBatch, allocation_ids.size() - i));
      ASSIGN_OR_RETURN(const auto response, state_->Call<FreeBatchResponse>(FreeBatchRequest{
                                                .allocation_ids = {part.begin(), part.end()}}));
      freed += response.freed;
    }
    return freed;
  }
  for (const std::string& id : allocation_ids) {
    ASSIGN_OR_RETURN(const bool existed, Free(id));
    freed += existed ? 1 : 0;
  }
  return freed;
}

Status Session::PutMetadata(const MetadataItem& item) {
  const MetadataPutRequest request{.key = item.key,
                                   .allocation_id = item.allocation_id,
                                   .offset_bytes = item.offset_bytes,
                                   .value = item.value};
  return ToStatus(state_->Call<MetadataPutResponse>(request));
}

Status Session::PutMetadataBatch(std::span<const MetadataItem> items) {
  if (!state_->extended) {
    for (const MetadataItem& item : items) {
      RETURN_IF_ERROR(PutMetadata(item));
    }
    return {};
  }
  size_t sent = 0;
  while (sent < items.size()) {
    MetadataPutBatchRequest request;
    for (uint64_t bytes = 0; sent < items.size() && bytes < kBatchBytes; ++sent) {
      bytes += WeightOf(items[sent]);
      request.items.push_back(items[sent]);
    }
    RETURN_IF_ERROR(state_->Call<MetadataPutBatchResponse>(request));
  }
  return {};
}

Result<bool> Session::DeleteMetadata(const std::string& key) {
  ASSIGN_OR_RETURN(const auto response,
                   state_->Call<MetadataDeleteResponse>(MetadataDeleteRequest{.key = key}));
  return response.deleted;
}

// ---- Ends.

Result<CommittedLayout> Session::Commit(bool stay) {
  const bool in_place = stay && state_->extended;
  ASSIGN_OR_RETURN(auto response,
                   state_->Call<CommitResponse>(CommitRequest{.in_place = in_place}));
  if (in_place) {
    state_->grant = Grant::kRo;
    state_->committed = true;
    state_->generation = response.generation;
  } else {
    Close();
  }
  return CommittedLayout{.hash = std::move(response.memory_layout_hash),
                         .generation = response.generation,
                         .still_connected = in_place};
}

Result<std::string> Session::CommitLayout() {
  ASSIGN_OR_RETURN(auto response, state_->Call<CommitLayoutResponse>(CommitLayoutRequest{}));
  state_->grant = GrantFromWire(response.granted_lock_type.value_or("")).value_or(Grant::kRwData);
  return std::move(response.memory_layout_hash);
}

Status Session::Abort() {
  Status aborted;
  if (connected() && state_->extended && state_->grant == Grant::kRw) {
    aborted = ToStatus(state_->Call<AbortResponse>(AbortRequest{}));
  }
  Close();
  return aborted;
}

void Session::Close() { state_->rpc->Close(); }

}  // namespace hearth::gms
