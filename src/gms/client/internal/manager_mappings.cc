#include <fmt/format.h>

#include "base/seeded_hash.h"
#include "gms/client/internal/manager_state.h"

// Mappings come and go, and are published.
namespace hearth::gms {
namespace {

Result<std::vector<AllocationItem>> ToItems(std::span<const MappingRequest> requests,
                                            uint64_t granularity) {
  std::vector<AllocationItem> items;
  items.reserve(requests.size());
  for (const MappingRequest& request : requests) {
    if (request.size == 0 || request.size > static_cast<uint64_t>(INT64_MAX) - granularity) {
      return InvalidError(
          fmt::format("cannot map {} bytes: size must be > 0 and make sense", request.size));
    }
    // The aligned size goes over the wire, as clients have always sent it: layouts hash alike.
    const uint64_t aligned = (request.size + granularity - 1) / granularity * granularity;
    items.push_back({.allocation_id = request.allocation_id,
                     .size = static_cast<int64_t>(aligned),
                     .tag = request.tag});
  }
  return items;
}

}  // namespace

Result<std::vector<Mapping>> MemoryManager::Impl::CreateMappings(
    std::span<const MappingRequest> requests) {
  RETURN_IF_ERROR(NeedSession());
  ASSIGN_OR_RETURN(const std::vector<AllocationItem> items,
                   ToItems(requests, space.facts().granularity));
  std::vector<Mapping> made;
  std::vector<std::string> allocated;
  const Status done = session->AllocateInParts(items, true, [&](AllocatedBatch part) -> Status {
    for (const AllocationItem& allocation : part.allocations) {
      allocated.push_back(allocation.allocation_id);
    }
    for (size_t i = 0; i < part.allocations.size(); ++i) {
      ASSIGN_OR_RETURN(const Record* record, MapNew(part.allocations[i], requests[made.size()].size,
                                                    std::move(part.fds[i])));
      made.push_back(*record);
    }
    return {};
  });
  if (done.ok()) {
    return made;
  }
  for (const Mapping& mapping : made) {
    (void)Drop(mapping.address);  // the first failure is the one to tell
  }
  if (session->connected()) {
    (void)session->FreeBatch(allocated);
  }
  return done;
}

Result<uintptr_t> MemoryManager::Impl::OpenMapping(const std::string& allocation_id) {
  RETURN_IF_ERROR(NeedSession());
  if (const Record* record = FindById(allocation_id)) {
    if (record->mapped) {
      return record->address;
    }
    return InvalidError(fmt::format(
        "allocation {} has an address but no memory: wake or remap first", allocation_id));
  }
  RETURN_IF_ERROR(Remember());
  ASSIGN_OR_RETURN(ExportedAllocation exported, session->Export(allocation_id));
  ASSIGN_OR_RETURN(const Record* record,
                   MapNew(exported.allocation, static_cast<uint64_t>(exported.allocation.size),
                          std::move(exported.fd)));
  return record->address;
}

// Notes which layout our mappings are of, for the next wake.
Status MemoryManager::Impl::Remember() {
  if (!known.hash.empty() || session->grant() == Grant::kRw) {
    return {};
  }
  ASSIGN_OR_RETURN(known.hash, session->LayoutHash());
  known.generation = session->generation();
  known.nonce = session->identity().nonce;
  return {};
}

Result<AttachedLayout> MemoryManager::Impl::OpenLayout(const OpenLayoutOptions& wanted) {
  RETURN_IF_ERROR(NeedSession());
  if (HasPreserved()) {
    return InvalidError("mappings here have addresses but no memory: wake or remap first");
  }
  OpenLayoutOptions request = wanted;
  request.with_fds = true;
  AttachedLayout attached;
  std::vector<uintptr_t> made;
  const Status done = session->OpenLayoutInParts(
      request, [&](OpenedLayout part) { return Attach(std::move(part), attached, made); });
  if (!done.ok()) {
    for (const uintptr_t address : made) {
      (void)Drop(address);
    }
    return done;
  }
  if (session->grant() != Grant::kRw) {
    known = {.hash = attached.hash,
             .generation = session->generation(),
             .nonce = session->identity().nonce};
  }
  return attached;
}

Status MemoryManager::Impl::Attach(OpenedLayout part, AttachedLayout& attached,
                                   std::vector<uintptr_t>& made) {
  attached.generation = part.generation;
  attached.hash = std::move(part.hash);
  for (size_t i = 0; i < part.allocations.size(); ++i) {
    const AllocationItem& allocation = part.allocations[i];
    if (const Record* record = FindById(allocation.allocation_id)) {
      attached.mappings.push_back(*record);
      continue;
    }
    ASSIGN_OR_RETURN(
        const Record* record,
        MapNew(allocation, static_cast<uint64_t>(allocation.size), std::move(part.fds[i])));
    made.push_back(record->address);
    attached.mappings.push_back(*record);
  }
  std::move(part.metadata.begin(), part.metadata.end(), std::back_inserter(attached.metadata));
  return {};
}

Status MemoryManager::Impl::DestroyMapping(uintptr_t address) {
  const auto at = records.find(address);
  if (at == records.end()) {
    return {};
  }
  const bool ours = session != nullptr && session->grant() == Grant::kRw && at->second.mapped &&
                    !at->second.scratch;
  if (ours) {
    RETURN_IF_ERROR(Device(space.Synchronize()));
    RETURN_IF_ERROR(session->Free(at->second.allocation_id));
  }
  return Drop(address);
}

Result<uint64_t> MemoryManager::Impl::Prune(std::span<const std::string> keep_ids) {
  RETURN_IF_ERROR(NeedWriter("to prune"));
  RETURN_IF_ERROR(Device(space.Synchronize()));
  const SeededSet<std::string> keep(keep_ids.begin(), keep_ids.end());
  std::vector<std::string> ids;
  std::vector<uintptr_t> addresses;
  uint64_t bytes = 0;
  for (const auto& [address, record] : records) {
    if (record.mapped && !record.scratch && !keep.contains(record.allocation_id)) {
      ids.push_back(record.allocation_id);
      addresses.push_back(address);
      bytes += record.aligned_size;
    }
  }
  RETURN_IF_ERROR(session->FreeBatch(ids));
  for (const uintptr_t address : addresses) {
    RETURN_IF_ERROR(Drop(address));
  }
  return bytes;
}

Result<CommittedLayout> MemoryManager::Impl::Commit() {
  RETURN_IF_ERROR(NeedWriter("to commit"));
  if (!HasMapped()) {
    return InvalidError("nothing is mapped that could be published");
  }
  RETURN_IF_ERROR(Device(space.Synchronize()));
  return session->extended() ? CommitInPlace() : CommitPlain();
}

Result<CommittedLayout> MemoryManager::Impl::CommitInPlace() {
  RETURN_IF_ERROR(ProtectAll(Access::kRead));
  Result<CommittedLayout> committed = session->Commit(true);
  if (!committed.ok()) {
    if (session->connected()) {
      RETURN_IF_ERROR(ProtectAll(Access::kReadWrite));  // refused: we are the writer still
    }
    return committed;
  }
  known = {.hash = committed->hash,
           .generation = committed->generation,
           .nonce = session->identity().nonce};
  return committed;
}

Result<CommittedLayout> MemoryManager::Impl::CommitPlain() {
  RETURN_IF_ERROR(UnmapAll());
  ASSIGN_OR_RETURN(CommittedLayout committed, session->Commit(false));
  session.reset();  // the server ends it, too
  return committed;
}

}  // namespace hearth::gms
