#include "gms/core/domain.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/check.h"
#include "gms/core/internal/lease_table.h"
#include "gms/core/refusals.h"

namespace hearth::gms {
namespace {

// Names of requests in refusals, as older clients know them.
constexpr std::string_view kAllocate = "AllocateRequest";
constexpr std::string_view kFree = "FreeAllocationRequest";
constexpr std::string_view kPut = "MetadataPutRequest";
constexpr std::string_view kDelete = "MetadataDeleteRequest";
constexpr std::string_view kCommit = "CommitRequest";
constexpr std::string_view kCommitLayout = "CommitLayoutRequest";
constexpr std::string_view kAbort = "AbortRequest";

Status Denied(std::string_view reason, std::string message) {
  return Status(Code::kPermissionDenied, std::string(reason), std::move(message));
}

Status NoLease() { return Denied(refusal::kNoLease, "operation requires an active GMS session"); }

// What one writer built, or builds.
struct Generation {
  Layout layout;
  std::string hash;  // since it was committed or sealed
};

bool CountsAllocations(EventKind kind) {
  return kind == EventKind::kLayoutCommitted || kind == EventKind::kRwDisconnected ||
         kind == EventKind::kAllocationsCleared || kind == EventKind::kSuperseded;
}

}  // namespace

struct Domain::Impl {
  explicit Impl(DomainOptions given) : options(given), leases(given.writers_ahead_of_readers) {}

  Result<Generation*> Seen(SessionId session) {
    const internal::Holder* const holder = leases.HolderOf(session);
    if (holder == nullptr) {
      return NoLease();
    }
    return &generations.at(holder->generation);
  }

  // The generation that the session may change the shape of.
  Result<Generation*> Shaped(SessionId session, std::string_view request) {
    const internal::Holder* const holder = leases.HolderOf(session);
    if (holder == nullptr) {
      return NoLease();
    }
    if (holder->grant == Grant::kRo) {
      return Denied(refusal::kReadOnly, fmt::format("{} not allowed for RO session in state {}",
                                                    request, WireName(SeenState())));
    }
    if (holder->grant == Grant::kRwData) {
      return Denied(refusal::kSealed, fmt::format("{} not allowed: the layout is committed; "
                                                  "reconnect with rw to replace it",
                                                  request));
    }
    return &generations.at(holder->generation);
  }

  // The same for metadata: keys of the engine stay open in a sealed layout.
  Result<Generation*> Described(SessionId session, std::string_view key, std::string_view request) {
    const internal::Holder* const holder = leases.HolderOf(session);
    if (holder != nullptr && holder->grant == Grant::kRwData && IsEngineKey(key)) {
      return &generations.at(holder->generation);
    }
    return Shaped(session, request);
  }

  DomainState SeenState() const { return RowOf(leases.state()).seen_as; }

  // The generation that probes are told about; 0 for none.
  uint64_t Probed() const {
    const bool writers_own = leases.building() != 0 && !RowOf(leases.state()).committed;
    return writers_own ? leases.building() : leases.current();
  }

  DomainOptions options;
  internal::LeaseTable leases;
  std::map<uint64_t, Generation> generations;
  Effects effects;
};

Domain::Domain(DomainOptions options) : impl_(std::make_unique<Impl>(options)) {}
Domain::~Domain() = default;

Domain::Effects Domain::TakeEffects() { return std::exchange(impl_->effects, {}); }

void Domain::Settle() {
  internal::LeaseTable::Outcome outcome = impl_->leases.Take();
  Effects& effects = impl_->effects;
  effects.granted.insert(effects.granted.end(), outcome.granted.begin(), outcome.granted.end());
  effects.timed_out.insert(effects.timed_out.end(), outcome.timed_out.begin(),
                           outcome.timed_out.end());
  effects.fenced.insert(effects.fenced.end(), outcome.fenced.begin(), outcome.fenced.end());
  for (const auto& [kind, generation] : outcome.happenings) {
    // A writer's generation begins with its grant.
    const Layout& layout =
        impl_->generations.try_emplace(generation, Generation{Layout(impl_->options.limits), ""})
            .first->second.layout;
    events_.Add(kind, CountsAllocations(kind) ? layout.allocation_count() : 0, generation);
    if (kind == EventKind::kAllocationsCleared) {
      for (const Allocation* allocation : layout.BySlot()) {
        effects.released.push_back(allocation->memory);
      }
      impl_->generations.erase(generation);
    }
  }
}

void Domain::Request(SessionId session, LeaseRequest request, SteadyTime now, SteadyTime deadline) {
  impl_->leases.Request(session, request, now, deadline);
  Settle();
}

void Domain::Expire(SteadyTime now) {
  impl_->leases.Expire(now);
  Settle();
}

SteadyTime Domain::NextDeadline() const { return impl_->leases.line().NextDeadline(); }

void Domain::Leave(SessionId session) {
  impl_->leases.Leave(session);
  Settle();
}

std::optional<Grant> Domain::GrantOf(SessionId session) const {
  const internal::Holder* const holder = impl_->leases.HolderOf(session);
  return holder == nullptr ? std::nullopt : std::optional(holder->grant);
}

void Domain::SetFenced(bool fenced) {
  if (fenced != impl_->leases.fenced()) {
    events_.Add(fenced ? EventKind::kFenced : EventKind::kUnfenced, 0, impl_->Probed());
  }
  impl_->leases.SetFenced(fenced);
  Settle();
}

void Domain::HoldAdoption(SessionId former) { impl_->leases.HoldAdoption(former); }

void Domain::ReleaseAdoption(SessionId former) {
  impl_->leases.ReleaseAdoption(former);
  Settle();
}

Status Domain::MayAllocate(SessionId session, std::string_view id) const {
  ASSIGN_OR_RETURN(const Generation* generation, impl_->Shaped(session, kAllocate));
  return generation->layout.MayAdd(id);
}

Result<const Allocation*> Domain::Allocate(SessionId session, std::string id, uint64_t size,
                                           uint64_t aligned_size, std::string tag,
                                           MemoryHandle memory) {
  ASSIGN_OR_RETURN(Generation * generation, impl_->Shaped(session, kAllocate));
  ASSIGN_OR_RETURN(
      const Allocation* added,
      generation->layout.Add(std::move(id), size, aligned_size, std::move(tag), memory));
  if (impl_->options.replace == ReplacePolicy::kDestroyFirst) {
    ReclaimSuperseded();
  }
  return added;
}

Result<bool> Domain::Free(SessionId session, std::string_view id) {
  ASSIGN_OR_RETURN(Generation * generation, impl_->Shaped(session, kFree));
  if (generation->layout.Find(id) == nullptr) {
    return false;
  }
  impl_->effects.released.push_back(generation->layout.Remove(id));
  return true;
}

Status Domain::Put(SessionId session, std::string key, Metadata metadata) {
  ASSIGN_OR_RETURN(Generation * generation, impl_->Described(session, key, kPut));
  return generation->layout.Put(std::move(key), std::move(metadata));
}

Result<bool> Domain::Delete(SessionId session, std::string_view key) {
  ASSIGN_OR_RETURN(Generation * generation, impl_->Described(session, key, kDelete));
  return generation->layout.Delete(key);
}

Result<Domain::Committed> Domain::Commit(SessionId session, bool stay) {
  ASSIGN_OR_RETURN(Generation * generation, impl_->Shaped(session, kCommit));
  generation->hash = generation->layout.Hash();
  Committed committed{impl_->leases.building(), generation->hash};
  impl_->leases.Commit(session, stay);
  Settle();
  return committed;
}

Result<Domain::Committed> Domain::CommitLayout(SessionId session) {
  ASSIGN_OR_RETURN(Generation * generation, impl_->Shaped(session, kCommitLayout));
  if (!impl_->leases.CanSeal()) {
    return Denied(refusal::kShadowCannotSeal,
                  fmt::format("{} not allowed beside committed contents: a sealed layout has no "
                              "readers; reconnect with rw to replace what is committed",
                              kCommitLayout));
  }
  generation->hash = generation->layout.Hash();
  Committed committed{impl_->leases.building(), generation->hash};
  impl_->leases.Seal(session);
  Settle();
  return committed;
}

Status Domain::Abort(SessionId session) {
  RETURN_IF_ERROR(impl_->Shaped(session, kAbort));
  Leave(session);
  return {};
}

bool Domain::ReclaimSuperseded() {
  const bool let_go = impl_->leases.LetGo();
  Settle();
  return let_go;
}

std::optional<Domain::Kept> Domain::Newest() const {
  const uint64_t current = impl_->leases.current();
  if (current == 0) {
    return std::nullopt;
  }
  const LeaseState state = impl_->leases.state();
  const bool sealed = state == LeaseState::kSealed || state == LeaseState::kReplacingSealed ||
                      state == LeaseState::kWritingData;
  return Kept{current, sealed, &impl_->generations.at(current).layout};
}

Status Domain::Install(Layout layout, uint64_t generation, bool sealed) {
  if (!impl_->leases.Install(generation, sealed)) {
    return Status(Code::kConflict, std::string(refusal::kNotFresh),
                  "a domain takes over what a predecessor had only before it is used");
  }
  std::string hash = layout.Hash();
  impl_->generations.insert_or_assign(generation, Generation{std::move(layout), std::move(hash)});
  return {};
}

uint64_t Domain::NextGeneration() const { return impl_->leases.next_generation(); }

void Domain::NumberFrom(uint64_t generation) { impl_->leases.NumberFrom(generation); }

Result<const Layout*> Domain::LayoutOf(SessionId session) const {
  ASSIGN_OR_RETURN(const Generation* generation, impl_->Seen(session));
  return &generation->layout;
}

Result<std::string> Domain::HashOf(SessionId session) const {
  ASSIGN_OR_RETURN(const Generation* generation, impl_->Seen(session));
  return generation->hash;
}

Result<uint64_t> Domain::GenerationOf(SessionId session) const {
  const internal::Holder* const holder = impl_->leases.HolderOf(session);
  if (holder == nullptr) {
    return NoLease();
  }
  return holder->generation;
}

Domain::Facts Domain::Look() const {
  const internal::LeaseTable& leases = impl_->leases;
  const LeaseStateRow& row = RowOf(leases.state());
  Facts facts;
  facts.state = row.seen_as;
  facts.has_writer = row.writer;
  facts.committed = facts.ready = row.committed;
  facts.layout_committed = row.layout_committed;
  facts.readers = leases.readers();
  facts.waiting = leases.line().line().size();
  for (const auto& [ticket, waiter] : leases.line().line()) {
    facts.waiting_writers += IsPlainWriter(waiter.request) ? 1 : 0;
  }
  facts.generation = impl_->Probed();
  if (facts.generation != 0) {
    const Generation& probed = impl_->generations.at(facts.generation);
    facts.allocations = probed.layout.allocation_count();
    facts.bytes = probed.layout.total_bytes();
    facts.hash = probed.hash;
  }
  facts.generations = impl_->generations.size();
  for (const auto& [number, generation] : impl_->generations) {
    facts.kept_bytes += generation.layout.total_bytes();
  }
  facts.fenced = leases.fenced();
  facts.adoption_held = leases.adoption_held();
  return facts;
}

std::vector<Domain::Place> Domain::Places() const {
  std::vector<Place> places;
  for (const auto& [session, holder] : impl_->leases.holders()) {
    places.push_back({session, holder.grant, holder.request, holder.since, holder.generation, 0});
  }
  for (const auto& [ticket, waiter] : impl_->leases.line().line()) {
    places.push_back({waiter.session, std::nullopt, waiter.request, waiter.since, 0,
                      impl_->leases.PassedOver(waiter)});
  }
  return places;
}

}  // namespace hearth::gms
