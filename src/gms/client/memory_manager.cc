#include "gms/client/memory_manager.h"

#include <fmt/format.h>

#include "gms/client/internal/manager_state.h"

// The lease and the public face; operations are in internal/manager_*.cc.
namespace hearth::gms {

MemoryManager::MemoryManager(AddressSpace& space, MemoryManagerOptions options)
    : impl_(std::make_unique<Impl>(space, std::move(options))) {}

MemoryManager::~MemoryManager() { (void)Close(); }

// ---- The lease.

Status MemoryManager::Impl::NeedSession() const {
  return session != nullptr ? Status()
                            : InvalidError("no lease: connect to the memory service first");
}

Status MemoryManager::Impl::NeedWriter(std::string_view what) const {
  RETURN_IF_ERROR(NeedSession());
  if (session->grant() != Grant::kRw) {
    return {Code::kPermissionDenied, fmt::format("{} needs a writer's lease, this one is {}", what,
                                                 WireName(session->grant()))};
  }
  return {};
}

Status MemoryManager::Impl::CheckReplaces(LeaseRequest lease, bool replace) const {
  const bool may_replace = lease == LeaseRequest::kRw || lease == LeaseRequest::kRwOrRo ||
                           lease == LeaseRequest::kRwShadow;
  if (replace || !may_replace || !HasPreserved()) {
    return {};
  }
  return InvalidError(
             fmt::format("a lease {} could replace the memory that mappings here wait for: "
                         "ask for ro to wake, or say that replacing is meant",
                         WireName(lease)))
      .WithReason(kPreservedMappings);
}

Status MemoryManager::Impl::CheckDevice(const Session& fresh) const {
  std::string ours = space.facts().uuid;
  if (options.device_uuid) {
    ASSIGN_OR_RETURN(ours, options.device_uuid());
  }
  const std::string& theirs = fresh.identity().gpu_uuid;
  if (ours.empty() || theirs.empty() || ours == theirs) {
    return {};
  }
  return ConflictError(fmt::format("GMS sidecar is on another physical GPU: {} serves {}, this "
                                   "process uses {}",
                                   fresh.socket(), theirs, ours))
      .WithReason(kWrongDevice);
}

Status MemoryManager::Impl::Connect(LeaseRequest lease, const WaitLimit& limit, bool replace) {
  if (session != nullptr) {
    return InvalidError("already connected: disconnect first");
  }
  RETURN_IF_ERROR(CheckReplaces(lease, replace));
  ConnectOptions connect = options.connect;
  connect.lease = lease;
  if (options.find_socket) {
    ASSIGN_OR_RETURN(connect.socket, options.find_socket());
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Session> fresh, Session::Connect(connect, limit));
  return Adopt(std::move(fresh), true);
}

Status MemoryManager::Impl::Adopt(std::unique_ptr<Session> fresh, bool replace) {
  if (session != nullptr) {
    return InvalidError("already connected: disconnect first");
  }
  if (fresh->grant() == Grant::kRw) {
    RETURN_IF_ERROR(CheckReplaces(LeaseRequest::kRw, replace));
  }
  RETURN_IF_ERROR(CheckDevice(*fresh));
  session = std::move(fresh);
  if (session->grant() == Grant::kRw) {
    known = {};
  }
  return {};
}

Status MemoryManager::Impl::Disconnect() {
  if (session == nullptr) {
    return {};
  }
  const std::unique_ptr<Session> ended = std::move(session);
  return ended->Abort();
}

Status MemoryManager::Connect(LeaseRequest lease, const WaitLimit& limit, bool replace) {
  return impl_->Run([&] { return impl_->Connect(lease, limit, replace); });
}

Status MemoryManager::Adopt(std::unique_ptr<Session> session, bool replace) {
  return impl_->Run([&] { return impl_->Adopt(std::move(session), replace); });
}

Status MemoryManager::Disconnect() {
  return impl_->Run([&] { return impl_->Disconnect(); });
}

bool MemoryManager::connected() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->session != nullptr && impl_->session->connected();
}

std::optional<Grant> MemoryManager::grant() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->session == nullptr ? std::nullopt : std::optional(impl_->session->grant());
}

Status MemoryManager::WithSession(const std::function<Status(Session&)>& use) {
  return impl_->Run([&]() -> Status {
    RETURN_IF_ERROR(impl_->NeedSession());
    return use(*impl_->session);
  });
}

// ---- Mappings.

Result<uintptr_t> MemoryManager::CreateMapping(uint64_t size, const std::string& tag,
                                               const std::string& allocation_id) {
  const MappingRequest request{.size = size, .tag = tag, .allocation_id = allocation_id};
  ASSIGN_OR_RETURN(const std::vector<Mapping> made, CreateMappings({&request, 1}));
  return made.front().address;
}

Result<std::vector<Mapping>> MemoryManager::CreateMappings(
    std::span<const MappingRequest> requests) {
  return impl_->Run([&] { return impl_->CreateMappings(requests); });
}

Result<uintptr_t> MemoryManager::OpenMapping(const std::string& allocation_id) {
  return impl_->Run([&] { return impl_->OpenMapping(allocation_id); });
}

Result<AttachedLayout> MemoryManager::OpenLayout(const OpenLayoutOptions& options) {
  return impl_->Run([&] { return impl_->OpenLayout(options); });
}

Status MemoryManager::DestroyMapping(uintptr_t address) {
  return impl_->Run([&] { return impl_->DestroyMapping(address); });
}

Result<uint64_t> MemoryManager::Prune(std::span<const std::string> keep_ids) {
  return impl_->Run([&] { return impl_->Prune(keep_ids); });
}

std::optional<Mapping> MemoryManager::Find(uintptr_t address) const {
  const std::lock_guard lock(impl_->mutex);
  const Impl::Record* record = impl_->Holding(address);
  return record == nullptr ? std::nullopt : std::optional<Mapping>(*record);
}

std::optional<Mapping> MemoryManager::FindById(const std::string& allocation_id) const {
  const std::lock_guard lock(impl_->mutex);
  const Impl::Record* record = impl_->FindById(allocation_id);
  return record == nullptr ? std::nullopt : std::optional<Mapping>(*record);
}

std::vector<Mapping> MemoryManager::mappings() const {
  const std::lock_guard lock(impl_->mutex);
  std::vector<Mapping> all;
  all.reserve(impl_->records.size());
  for (const auto& [address, record] : impl_->records) {
    all.push_back(record);
  }
  return all;
}

bool MemoryManager::has_unmapped() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->HasPreserved();
}

uint64_t MemoryManager::total_bytes() const {
  const std::lock_guard lock(impl_->mutex);
  uint64_t total = 0;
  for (const auto& [address, record] : impl_->records) {
    total += record.scratch ? 0 : record.aligned_size;
  }
  return total;
}

uint64_t MemoryManager::granularity() const { return impl_->space.facts().granularity; }

// ---- Publication, sleep and wake.

Result<CommittedLayout> MemoryManager::Commit() {
  return impl_->Run([&] { return impl_->Commit(); });
}

Result<std::string> MemoryManager::CommitLayout() {
  return impl_->Run([&]() -> Result<std::string> {
    RETURN_IF_ERROR(impl_->NeedWriter("to seal a layout"));
    RETURN_IF_ERROR(impl_->Device(impl_->space.Synchronize()));
    ASSIGN_OR_RETURN(std::string hash, impl_->session->CommitLayout());
    impl_->known.hash = hash;
    return hash;
  });
}

Status MemoryManager::UnmapAll() {
  return impl_->Run([&] { return impl_->UnmapAll(); });
}

Status MemoryManager::Sleep() {
  return impl_->Run([&]() -> Status {
    RETURN_IF_ERROR(impl_->UnmapAll());
    return impl_->Disconnect();
  });
}

Result<WakeReport> MemoryManager::Wake(const WakeOptions& options, const WaitLimit& limit) {
  return impl_->Run([&] { return impl_->Wake(options, limit); });
}

Status MemoryManager::ReallocateAll(bool keep_ids, std::optional<std::string> tag) {
  return impl_->Run([&] { return impl_->ReallocateAll(keep_ids, tag); });
}

Result<WakeReport> MemoryManager::RemapAll(WakeRule rule) {
  return impl_->Run([&] { return impl_->RemapAll(rule); });
}

// ---- Scratch.

Result<uintptr_t> MemoryManager::CreateScratch(uint64_t size, const std::string& tag) {
  return impl_->Run([&] { return impl_->CreateScratch(size, tag); });
}

Status MemoryManager::PrepareScratchForReallocation() {
  return impl_->Run([&]() -> Status {
    for (const auto& [address, record] : impl_->records) {
      if (record.scratch && record.mapped) {
        return InvalidError("scratch mappings are still mapped: unmap all of them first");
      }
    }
    for (auto& [address, record] : impl_->records) {
      record.scratch = false;
    }
    return {};
  });
}

MemoryManager::ScratchSummary MemoryManager::scratch_summary() const {
  const std::lock_guard lock(impl_->mutex);
  ScratchSummary summary;
  for (const auto& [address, record] : impl_->records) {
    summary.count += record.scratch ? 1 : 0;
    summary.virtual_bytes += record.scratch ? record.reserved : 0;
  }
  summary.physical_bytes = impl_->scratch_block.valid() ? impl_->options.scratch_block : 0;
  return summary;
}

// ---- Ends.

Status MemoryManager::Impl::Close() {
  Status first = space.Synchronize();
  const auto note = [&first](const Status& done) { first = first.ok() ? done : first; };
  note(first.ok() ? UnmapAll() : Status());  // in few calls; what fails is tried one by one
  while (!records.empty()) {
    const uintptr_t address = records.rbegin()->first;
    const Status dropped = Drop(address);
    note(dropped);
    if (!dropped.ok() && records.contains(address)) {
      Erase(address);  // its address space is lost, but nobody must find it here
    }
  }
  scratch_block.reset();
  note(Disconnect());
  known = {};
  return first;
}

Status MemoryManager::Close() {
  const std::lock_guard lock(impl_->mutex);
  return impl_->Close();
}

void MemoryManager::Forget() {
  const std::lock_guard lock(impl_->mutex);
  impl_->session.reset();
  impl_->records.clear();
  impl_->by_id.clear();
  impl_->known = {};
}

Status MemoryManager::Reset() {
  const std::lock_guard lock(impl_->mutex);
  impl_->session.reset();
  impl_->device_failed = false;
  RETURN_IF_ERROR(impl_->UnmapAll());
  impl_->failure = {};
  return {};
}

Status MemoryManager::failure() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->failure;
}

}  // namespace hearth::gms
