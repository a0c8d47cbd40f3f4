#pragma once

#include <cstdint>
#include <deque>
#include <map>
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
  // How many plain readers that came later may be passed over by writers before they get their
  // turn: bounded writer preference.
  int writers_ahead_of_readers = 16;
};

// One memory pool, weights or kv_cache, of one device: who holds it, who waits for it, and its
// generations. A session's lease lives from its grant until Leave. A writer builds a generation of
// its own; committing makes it the one that readers get; a generation goes with its last reader
// once a newer one is committed. Pure: no IO, no threads, no clock of its own. What others must do
// or know (grants, memory to release, events) gathers in effects that the owner takes after every
// call. States and transitions are the table in lease_transitions.h.
class Domain {
 public:
  explicit Domain(DomainOptions options = {});
  ~Domain();
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  struct Granted {
    SessionId session;
    Grant grant;
    uint64_t generation = 0;  // what the session sees from now on
  };
  struct Effects {
    std::vector<Granted> granted;      // in order; answer them
    std::vector<SessionId> timed_out;  // their wait is over without a grant
    std::vector<MemoryHandle>
        released;  // give back to the device; waiters for memory may try again
    bool empty() const { return granted.empty() && timed_out.empty() && released.empty(); }
  };
  Effects TakeEffects();

  // ---- Leases. A session asks once.
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
  // Closed: nobody is admitted, those who wait stay. The fence uses it.
  void SetFenced(bool fenced);

  // ---- What a writer does. kPermissionDenied with upstream's words when the grant forbids it.
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
  // published.
  Result<Committed> Commit(SessionId session, bool stay);
  // Seals the shape: the grant narrows to kRwData.
  Result<Committed> CommitLayout(SessionId session);
  // Forgets all the writer built, and its lease; memory is in the effects of this very call.
  Status Abort(SessionId session);
  // Lets what is committed but read by nobody go, so that a writer gets its memory. False when
  // there is nothing to let go.
  bool ReclaimSuperseded();

  // ---- What every holder sees: its generation. kPermissionDenied without a lease.
  Result<const Layout*> LayoutOf(SessionId session) const;
  Result<std::string> HashOf(SessionId session) const;  // "" unless committed or sealed

  // ---- What everybody may know.
  struct Facts {
    DomainState state = DomainState::kEmpty;
    bool has_writer = false;
    size_t readers = 0;
    size_t waiting_writers = 0;  // plain writers only, as upstream counts them
    size_t waiting = 0;          // all
    bool committed = false;      // as upstream tells it: false while a plain writer is in
    bool layout_committed = false;
    bool ready = false;      // committed and no plain writer
    size_t allocations = 0;  // of what a probe sees: the writer's generation, else the newest
    uint64_t bytes = 0;
    std::string hash;
    uint64_t generation = 0;
    size_t generations = 0;  // kept, with those that only old readers hold
    uint64_t kept_bytes = 0;
  };
  Facts Look() const;
  const EventRing& events() const { return events_; }
  EventRing& events() { return events_; }
  struct Place {
    SessionId session;
    std::optional<Grant> grant;  // nothing: waits
    LeaseRequest request = LeaseRequest::kRo;
    SteadyTime since;
    uint64_t generation = 0;
  };
  std::vector<Place> Places() const;  // holders, then those who wait in order

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  EventRing events_;
};

}  // namespace hearth::gms
