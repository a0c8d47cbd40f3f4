#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/seeded_hash.h"
#include "gms/client/internal/address_arena.h"
#include "gms/client/internal/wake_plan.h"
#include "gms/client/memory_manager.h"

namespace hearth::gms {

// What a memory manager knows and the steps its operations are made of. Everything runs under the
// manager's lock; steps leave the latch to it.
struct MemoryManager::Impl {
  Impl(AddressSpace& s, MemoryManagerOptions o)
      : space(s), options(std::move(o)), arena(s, options.arena_bytes) {}

  struct Record : Mapping {
    uint64_t order = 0;  // of creation: ranks what was scratch, which has no slots
  };
  using Records = std::map<uintptr_t, Record>;
  static bool Earlier(const Record& a, const Record& b) {
    return std::pair(a.slot, a.order) < std::pair(b.slot, b.order);
  }
  struct Known {  // the layout that our mappings show
    std::string hash;
    uint64_t generation = 0;
    std::string nonce;
  };

  // ---- Lease (memory_manager.cc).
  Status Connect(LeaseRequest lease, const WaitLimit& limit, bool replace);
  Status Adopt(std::unique_ptr<Session> fresh, bool replace);
  Status CheckReplaces(LeaseRequest lease, bool replace) const;
  Status CheckDevice(const Session& fresh) const;
  Status Disconnect();
  Status NeedSession() const;
  Status NeedWriter(std::string_view what) const;
  Access access() const {
    return session->grant() == Grant::kRo ? Access::kRead : Access::kReadWrite;
  }

  // ---- Records (internal/manager_records.cc).
  uint64_t Align(uint64_t size) const;
  Record& Insert(Record record);
  void Erase(uintptr_t address);
  void IndexIds();
  Record* FindById(const std::string& id);
  const Record* Holding(uintptr_t address) const;
  std::vector<Record*> Preserved();  // not mapped and not scratch, by slot
  std::vector<Mapping> BySlot();     // all but scratch
  bool HasMapped() const;            // scratch does not count
  bool HasPreserved() const;

  // ---- The device (internal/manager_records.cc). Failures are noted for the latch.
  Status Device(Status done);
  Result<Record*> MapNew(const AllocationItem& allocation, uint64_t size, UniqueFd fd);
  Status Map(Record& record, UniqueFd fd, Access access);
  Status Unmap(Record& record);
  Status Drop(uintptr_t address);  // unmaps, gives the address back and forgets
  struct Neighbours {              // of mappings that lie one after another within a reservation
    Records::iterator first;
    uintptr_t begin = 0;
    uintptr_t end = 0;
  };
  Neighbours NextNeighbours(Records::iterator& at);
  Status ProtectAll(Access access);
  Status UnmapAll();

  // ---- Operations.
  Result<std::vector<Mapping>> CreateMappings(std::span<const MappingRequest> requests);
  Result<uintptr_t> OpenMapping(const std::string& allocation_id);
  Result<AttachedLayout> OpenLayout(const OpenLayoutOptions& wanted);
  Status Attach(OpenedLayout part, AttachedLayout& attached, std::vector<uintptr_t>& made);
  Status DestroyMapping(uintptr_t address);
  Result<uint64_t> Prune(std::span<const std::string> keep_ids);
  Result<CommittedLayout> Commit();
  Result<CommittedLayout> CommitInPlace();
  Result<CommittedLayout> CommitPlain();
  Status Remember();
  Result<WakeReport> Wake(const WakeOptions& how, const WaitLimit& limit);
  Result<WakeReport> WakeConnected(const WakeOptions& how);
  Status ReallocateAll(bool keep_ids, const std::optional<std::string>& tag);
  Result<WakeReport> RemapAll(WakeRule rule);
  struct Planned {
    internal::WakePlan plan;
    std::string hash;
  };
  Result<Planned> PlanRemap(bool names_are_good);
  Status MapPlanned(const internal::WakePlan& plan);
  Status MapPieces(const internal::WakePlan& plan,
                   std::vector<std::pair<Record*, AllocationItem>>& done);
  Result<uintptr_t> CreateScratch(uint64_t size, const std::string& tag);
  Status MapScratch(Record& record);
  Status CheckScratchBlock() const;
  Status Close();

  AddressSpace& space;
  MemoryManagerOptions options;
  mutable std::recursive_mutex mutex;  // WithSession may ask the manager
  std::unique_ptr<Session> session;
  Known known;
  internal::AddressArena arena;
  Records records;
  SeededMap<std::string, uintptr_t> by_id;
  uint64_t next_order = 0;
  UniqueFd scratch_block;
  bool device_failed = false;
  Status failure;

  // Runs one operation under the lock, behind the latch, and latches what it should.
  template <typename Operation>
  auto Run(Operation operation) -> decltype(operation()) {
    const std::lock_guard lock(mutex);
    if (!failure.ok()) {
      return Status(failure.code(), std::string(failure.reason()), std::string(failure.message()));
    }
    auto outcome = operation();
    // Whoever ends a session on purpose forgets it; one that is there and broken was lost.
    if (!outcome.ok() && (device_failed || (session != nullptr && !session->connected()))) {
      failure = ToStatus(outcome);
    }
    return outcome;
  }
};

}  // namespace hearth::gms
