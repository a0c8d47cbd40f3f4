#include <fmt/format.h>

#include <algorithm>

#include "gms/client/internal/manager_state.h"
#include "gms/client/internal/wake_plan.h"

// Memory comes back behind the addresses that were kept.
namespace hearth::gms {

Result<WakeReport> MemoryManager::Impl::Wake(const WakeOptions& how, const WaitLimit& limit) {
  if (how.lease == LeaseRequest::kRwOrRo) {
    return InvalidError(
        "to wake, ask for ro, or for rw or rw_data_or_rw when the memory is ours: "
        "rw_or_ro may come back either way");
  }
  RETURN_IF_ERROR(Connect(how.lease, limit, how.lease != LeaseRequest::kRo));
  Result<WakeReport> report = WakeConnected(how);
  if (!report.ok()) {
    (void)Disconnect();  // asleep as before
    const bool misfit = how.replace_misfit && how.lease == LeaseRequest::kRwDataOrRw &&
                        report.status().reason() == Session::kStaleLayout;
    if (misfit) {
      WakeOptions fresh = how;
      fresh.lease = LeaseRequest::kRw;
      return Wake(fresh, limit);
    }
  }
  return report;
}

Result<WakeReport> MemoryManager::Impl::WakeConnected(const WakeOptions& how) {
  if (session->grant() == Grant::kRw) {
    RETURN_IF_ERROR(ReallocateAll(how.keep_ids, std::nullopt));
  }
  return RemapAll(how.rule);
}

Status MemoryManager::Impl::ReallocateAll(bool keep_ids, const std::optional<std::string>& tag) {
  RETURN_IF_ERROR(NeedWriter("to reallocate"));
  const std::vector<Record*> preserved = Preserved();
  std::vector<AllocationItem> items;
  items.reserve(preserved.size());
  for (const Record* record : preserved) {
    items.push_back({.allocation_id = keep_ids && session->extended() ? record->allocation_id : "",
                     .size = static_cast<int64_t>(record->size),
                     .tag = tag.value_or(record->tag)});
  }
  ASSIGN_OR_RETURN(const AllocatedBatch batch, session->AllocateBatch(items, false));
  for (size_t i = 0; i < preserved.size(); ++i) {
    const AllocationItem& made = batch.allocations[i];
    if (static_cast<uint64_t>(made.aligned_size) != preserved[i]->aligned_size) {
      return InternalError(fmt::format("the server rounds {} bytes to {}, this device to {}",
                                       made.size, made.aligned_size, preserved[i]->aligned_size));
    }
  }
  for (size_t i = 0; i < preserved.size(); ++i) {
    preserved[i]->allocation_id = batch.allocations[i].allocation_id;
    preserved[i]->slot = static_cast<uint64_t>(batch.allocations[i].layout_slot);
    preserved[i]->tag = items[i].tag;
  }
  IndexIds();
  return {};
}

Result<WakeReport> MemoryManager::Impl::RemapAll(WakeRule rule) {
  RETURN_IF_ERROR(NeedSession());
  const bool reader = session->grant() != Grant::kRw;
  const bool same = reader && known.generation != 0 && known.nonce == session->identity().nonce &&
                    known.generation == session->generation();
  if (reader && rule == WakeRule::kSameGeneration && !same) {
    return ConflictError(fmt::format("Layout changed: generation {} of this server was mapped, it "
                                     "has {} now",
                                     known.generation, session->generation()))
        .WithReason(Session::kStaleLayout);
  }
  ASSIGN_OR_RETURN(const Planned planned, PlanRemap(same || !reader));
  RETURN_IF_ERROR(MapPlanned(planned.plan));
  if (reader) {
    known = {.hash = planned.hash,
             .generation = session->generation(),
             .nonce = session->identity().nonce};
  }
  return WakeReport{.grant = session->grant(),
                    .mapped = planned.plan.size(),
                    .generation = session->generation(),
                    .same_generation = same};
}

// What goes where. Names that this very server gave are good; otherwise the layout is looked at as
// a whole before anything is mapped.
Result<MemoryManager::Impl::Planned> MemoryManager::Impl::PlanRemap(bool names_are_good) {
  Planned planned{.hash = known.hash};
  if (names_are_good) {
    for (const Record* record : Preserved()) {
      planned.plan.emplace(record->allocation_id, record->address);
    }
    return planned;
  }
  ASSIGN_OR_RETURN(const OpenedLayout layout,
                   session->OpenLayout(
                       {.expected_hash = known.hash, .with_fds = false, .with_metadata = false}));
  planned.hash = layout.hash;
  ASSIGN_OR_RETURN(planned.plan, internal::PlanWake(BySlot(), layout.allocations));
  return planned;
}

// All or nothing: what was mapped is unmapped again when one cannot be.
Status MemoryManager::Impl::MapPlanned(const internal::WakePlan& plan) {
  std::vector<std::pair<Record*, AllocationItem>> done;
  Status mapped = MapPieces(plan, done);
  if (mapped.ok() && done.size() != plan.size()) {
    mapped = ConflictError(fmt::format("Layout changed: {} of {} allocations are gone",
                                       plan.size() - done.size(), plan.size()))
                 .WithReason(Session::kStaleLayout);
  }
  if (mapped.ok()) {
    mapped = Device(space.Synchronize());
  }
  if (!mapped.ok()) {
    for (const auto& [record, allocation] : done) {
      (void)Unmap(*record);
    }
    return mapped;
  }
  for (const auto& [record, allocation] : done) {
    record->allocation_id = allocation.allocation_id;
    record->slot = static_cast<uint64_t>(allocation.layout_slot);
  }
  IndexIds();
  return {};
}

Status MemoryManager::Impl::MapPieces(const internal::WakePlan& plan,
                                      std::vector<std::pair<Record*, AllocationItem>>& done) {
  const auto map_one = [&](AllocationItem& allocation, UniqueFd fd) -> Status {
    const auto planned = plan.find(allocation.allocation_id);
    if (planned == plan.end()) {
      return {};  // a part of the layout that nobody here uses
    }
    Record& record = records.at(planned->second);
    RETURN_IF_ERROR(internal::CheckFits(record, allocation));
    RETURN_IF_ERROR(Map(record, std::move(fd), access()));
    done.emplace_back(&record, std::move(allocation));
    return {};
  };
  if (!session->extended()) {
    for (const auto& [id, address] : plan) {
      ASSIGN_OR_RETURN(ExportedAllocation exported, session->Export(id));
      RETURN_IF_ERROR(map_one(exported.allocation, std::move(exported.fd)));
    }
    return {};
  }
  return session->OpenLayoutInParts({.with_metadata = false}, [&](OpenedLayout part) -> Status {
    for (size_t i = 0; i < part.allocations.size(); ++i) {
      RETURN_IF_ERROR(map_one(part.allocations[i], std::move(part.fds[i])));
    }
    return {};
  });
}

}  // namespace hearth::gms
