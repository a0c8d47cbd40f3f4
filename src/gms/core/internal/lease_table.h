#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/clock.h"
#include "gms/core/event_ring.h"
#include "gms/core/internal/waiting_line.h"
#include "gms/core/lease.h"
#include "gms/core/lease_transitions.h"

namespace hearth::gms::internal {

// What happened to a generation, in order. kAllocationsCleared: it is dropped, for good.
struct Happening {
  EventKind kind = EventKind::kRwConnected;
  uint64_t generation = 0;

  friend bool operator==(const Happening&, const Happening&) = default;
};

struct Holder {
  LeaseRequest request = LeaseRequest::kRo;
  Grant grant = Grant::kRo;
  uint64_t generation = 0;
  SteadyTime since;
};

// Who holds a domain, who waits for it, and which generations there are; what is in a generation
// is somebody else's. Order of admission: by ticket. A plain writer in line keeps later readers
// out, and any writer in line keeps later writers out; but a reader that has seen `patience`
// exclusive writers come in before it goes first as soon as there is something to read. Everybody
// who may come in has come in when a call returns. A value: copies go separate ways. The states
// are those of lease_transitions.h.
class LeaseTable {
 public:
  explicit LeaseTable(int patience);

  struct Outcome {
    std::vector<Granted> granted;
    std::vector<SessionId> timed_out;
    std::vector<SessionId> fenced;
    std::vector<Happening> happenings;
  };
  Outcome Take();  // what the calls since the last Take brought about

  void Request(SessionId session, LeaseRequest request, SteadyTime now, SteadyTime deadline);
  void Expire(SteadyTime now);
  void Leave(SessionId session);
  void SetFenced(bool fenced);
  void HoldAdoption(SessionId former);
  void ReleaseAdoption(SessionId former);

  // For a writer with the grant kRw; Seal only where the table has it.
  void Commit(SessionId session, bool stay);
  void Seal(SessionId session);
  bool CanSeal() const { return Next(state_, LeaseEvent::kSeal).has_value(); }
  // Lets go what a writer is about to replace. False: nothing is kept for that.
  bool LetGo();
  // Only for a table that nobody has used: begins with a generation that is there.
  bool Install(uint64_t generation, bool sealed);
  // New generations have this number or a higher one.
  void NumberFrom(uint64_t generation) {
    next_generation_ = std::max(next_generation_, generation);
  }
  uint64_t next_generation() const { return next_generation_; }

  LeaseState state() const { return state_; }
  const std::map<SessionId, Holder>& holders() const { return holders_; }
  const Holder* HolderOf(SessionId session) const;  // null: holds nothing
  const WaitingLine& line() const { return line_; }
  // How often that waiter was passed over by an exclusive writer.
  uint64_t PassedOver(const Waiter& waiter) const {
    return writers_admitted_ - waiter.writers_before;
  }
  size_t readers() const { return holders_.size() - (writer_.has_value() ? 1 : 0); }
  uint64_t current() const { return current_; }    // committed or sealed, perhaps kept; 0: none
  uint64_t building() const { return building_; }  // the writer's own; 0: none
  bool fenced() const { return fenced_; }
  bool adoption_held() const { return !adoption_holds_.empty(); }

 private:
  std::optional<LeaseEvent> EntryNow(LeaseRequest request) const;
  void Admit();
  void AdmitPatient();
  void AdmitInOrder();
  void Enter(const Waiter& waiter, LeaseEvent entry);
  void Go(LeaseEvent event);
  void Tell(EventKind kind, uint64_t generation);
  void Publish(EventKind kind);
  void DropUnlessRead(uint64_t generation);
  void WriterLeaves(const Holder& writer);
  void ReaderLeaves(const Holder& reader);

  uint64_t patience_;
  LeaseState state_ = LeaseState::kEmpty;
  std::map<SessionId, Holder> holders_;
  std::optional<SessionId> writer_;
  std::map<uint64_t, size_t> readers_of_;  // by generation, none with 0
  WaitingLine line_;
  std::set<SessionId> adoption_holds_;
  uint64_t current_ = 0;
  uint64_t building_ = 0;
  uint64_t next_generation_ = 1;
  uint64_t writers_admitted_ = 0;
  bool fenced_ = false;
  Outcome outcome_;
};

}  // namespace hearth::gms::internal
