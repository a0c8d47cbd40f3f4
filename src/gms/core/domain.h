#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "gms/core/event_ring.h"
#include "gms/core/layout.h"
#include "gms/core/lease.h"

namespace hearth::gms {

// Whether a plain writer's admission keeps what is committed until the writer commits, or lets it
// go with the writer's first change. Either way nothing is lost by a grant alone: a client that
// died while it waited destroys nothing.
enum class ReplacePolicy : uint8_t { kKeepUntilCommit, kDestroyFirst };

struct DomainOptions {
  ReplacePolicy replace = ReplacePolicy::kKeepUntilCommit;
  LayoutLimits limits;
  // A plain writer in line goes before readers that came later; but a reader that saw that many
  // exclusive writers come in while it waited goes first. At least 1.
  int writers_ahead_of_readers = 16;
};

// One memory pool, weights or kv_cache, of one device: who holds it, who waits for it, and its
// generations. A session's lease lives from its grant until Leave. A writer builds a generation of
// its own; committing makes it the one that readers get; a generation goes with its last reader
// once a newer one is committed. Pure: no IO, no threads, no clock of its own; not thread-safe.
// What others must do or know (grants, memory to release) gathers in effects that the owner takes
// after every call. States and transitions are the table in lease_transitions.h; why they are so is
// told in docs/gms-leases.md. Errors carry a reason of refusals.h.
class Domain {
 public:
  explicit Domain(DomainOptions options = {});
  ~Domain();
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  using Granted = gms::Granted;
  struct Effects {
    std::vector<Granted> granted;      // in order; answer them
    std::vector<SessionId> timed_out;  // their wait is over without a grant
    std::vector<SessionId> fenced;     // likewise, because the domain is fenced
    // Give back to the device; whoever waits for memory may try again.
    std::vector<MemoryHandle> released;
    bool empty() const {
      return granted.empty() && timed_out.empty() && fenced.empty() && released.empty();
    }
  };
  Effects TakeEffects();

  // ---- Leases. A session that waits or holds asks no second time.
  // Granted at once or put in line, both told by effects. `deadline`: when the wait is over; a
  // deadline that has passed tries once.
  void Request(SessionId session, LeaseRequest request, SteadyTime now,
               SteadyTime deadline = SteadyTime::max());
  // Ends waits whose deadline has passed.
  void Expire(SteadyTime now);
  SteadyTime NextDeadline() const;  // max() when nobody waits with one
  // The session is gone or gave up: waiting, holding, or unknown (nothing happens then).
  void Leave(SessionId session);
  std::optional<Grant> GrantOf(SessionId session) const;
  // Closed: whoever waits or asks is turned away (effects.fenced). The fence uses it.
  void SetFenced(bool fenced);
  // Nobody adopts the sealed layout until the hold is released, or another layout is sealed: the
  // work that a former writer gave to the device may go on after its connection is gone. Asked
  // before Leave(former). Who waits for the adoption keeps its place. Releasing what is not held
  // does nothing.
  void HoldAdoption(SessionId former);
  void ReleaseAdoption(SessionId former);

  // ---- What a writer does. kPermissionDenied with upstream's words when the grant forbids it.
  // With a sealed layout, only metadata keys of the engine (IsEngineKey) may change.
  Result<const Allocation*> Allocate(SessionId session, std::string id, uint64_t size,
                                     uint64_t aligned_size, std::string tag, MemoryHandle memory);
  // Whether Allocate would be taken: asked before the device is. Same errors.
  Status MayAllocate(SessionId session, std::string_view id) const;
  Result<bool> Free(SessionId session, std::string_view id);  // false: no such allocation
  Status Put(SessionId session, std::string key, Metadata metadata);
  Result<bool> Delete(SessionId session, std::string_view key);
  struct Committed {
    uint64_t generation = 0;
    std::string hash;
  };
  // Publishes and ends the lease; with `stay`, the session goes on as a reader of what it
  // published. What was committed or sealed before is superseded.
  Result<Committed> Commit(SessionId session, bool stay);
  // Seals the shape: the grant narrows to kRwData. Supersedes as Commit does. A writer beside
  // committed contents (rw_shadow) cannot.
  Result<Committed> CommitLayout(SessionId session);
  // Forgets all the writer built, and its lease; memory is in the effects of this very call.
  Status Abort(SessionId session);
  // Lets what is kept for the case that a plain writer fails go, so that the writer gets its
  // memory. False when there is nothing to let go; what rw_shadow writes beside is never let go.
  bool ReclaimSuperseded();

  // ---- Handing over to a successor: what is committed or sealed, and a domain that nobody has
  // used begins with it. kConflict when somebody has.
  struct Kept {
    uint64_t generation = 0;
    bool sealed = false;
    const Layout* layout = nullptr;
  };
  std::optional<Kept> Newest() const;
  Status Install(Layout layout, uint64_t generation, bool sealed);
  // The number that the next writer's generation gets, and what it is at least, after Install.
  uint64_t NextGeneration() const;
  void NumberFrom(uint64_t generation);

  // ---- What every holder sees: its generation. kPermissionDenied without a lease.
  Result<const Layout*> LayoutOf(SessionId session) const;
  Result<std::string> HashOf(SessionId session) const;  // "" unless committed or sealed
  Result<uint64_t> GenerationOf(SessionId session) const;

  // ---- What everybody may know.
  struct Facts {
    DomainState state = DomainState::kEmpty;
    bool has_writer = false;
    size_t readers = 0;          // of all generations
    size_t waiting_writers = 0;  // plain writers only, as upstream counts them
    size_t waiting = 0;          // all
    bool committed = false;      // as upstream tells it: false while a plain writer is in
    bool layout_committed = false;
    bool ready = false;  // committed and no plain writer
    // Of what a probe sees: a plain writer's generation, else what readers get.
    size_t allocations = 0;
    uint64_t bytes = 0;
    std::string hash;
    uint64_t generation = 0;
    size_t generations = 0;   // all: newest, kept, the writer's, those that only old readers hold
    uint64_t kept_bytes = 0;  // of all of them
    bool fenced = false;
    bool adoption_held = false;
  };
  Facts Look() const;
  const EventRing& events() const { return events_; }
  EventRing& events() { return events_; }
  struct Place {
    SessionId session;
    std::optional<Grant> grant;  // nothing: waits
    LeaseRequest request = LeaseRequest::kRo;
    SteadyTime since;  // when it asked
    uint64_t generation = 0;
    uint64_t passed_over = 0;  // exclusive writers that came in while it waited
  };
  std::vector<Place> Places() const;  // holders, then those who wait in order

 private:
  struct Impl;
  void Settle();  // makes events and effects of what the leases say
  std::unique_ptr<Impl> impl_;
  EventRing events_;
};

}  // namespace hearth::gms
