#include "gms/core/internal/lease_table.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace hearth::gms::internal {

// A patience of 0 would let readers pass writers for ever.
LeaseTable::LeaseTable(int patience) : patience_(static_cast<uint64_t>(std::max(patience, 1))) {}

LeaseTable::Outcome LeaseTable::Take() { return std::exchange(outcome_, {}); }

const Holder* LeaseTable::HolderOf(SessionId session) const {
  const auto found = holders_.find(session);
  return found == holders_.end() ? nullptr : &found->second;
}

void LeaseTable::Request(SessionId session, LeaseRequest request, SteadyTime now,
                         SteadyTime deadline) {
  CHECK(!holders_.contains(session) && !line_.Contains(session))
      << "session " << session.value << " has asked already";
  if (fenced_) {
    outcome_.fenced.push_back(session);
    return;
  }
  line_.Join({session, request, now, deadline, writers_admitted_});
  Admit();
  if (deadline <= now && line_.Leave(session)) {
    outcome_.timed_out.push_back(session);
  }
}

void LeaseTable::Expire(SteadyTime now) {
  const std::vector<SessionId> overdue = line_.TakeOverdue(now);
  outcome_.timed_out.insert(outcome_.timed_out.end(), overdue.begin(), overdue.end());
  if (!overdue.empty()) {
    Admit();
  }
}

void LeaseTable::Leave(SessionId session) {
  const auto found = holders_.find(session);
  if (found != holders_.end()) {
    const Holder holder = found->second;
    holders_.erase(found);
    if (holder.grant == Grant::kRo) {
      ReaderLeaves(holder);
    } else {
      WriterLeaves(holder);
    }
    Admit();
  } else if (line_.Leave(session)) {
    Admit();
  }
}

void LeaseTable::WriterLeaves(const Holder& writer) {
  writer_.reset();
  Go(LeaseEvent::kWriterOut);
  if (writer.grant == Grant::kRwData) {
    Tell(EventKind::kRwDisconnected, writer.generation);
    return;
  }
  building_ = 0;
  Tell(EventKind::kRwAborted, writer.generation);
  Tell(EventKind::kAllocationsCleared, writer.generation);
}

void LeaseTable::ReaderLeaves(const Holder& reader) {
  Go(readers() == 0 ? LeaseEvent::kLastReaderOut : LeaseEvent::kReaderOut);
  const auto count = readers_of_.find(reader.generation);
  if (--count->second == 0) {
    readers_of_.erase(count);
  }
  DropUnlessRead(reader.generation);
}

void LeaseTable::SetFenced(bool fenced) {
  fenced_ = fenced;
  if (fenced) {
    const std::vector<SessionId> told = line_.TakeAll();
    outcome_.fenced.insert(outcome_.fenced.end(), told.begin(), told.end());
  }
}

void LeaseTable::HoldAdoption(SessionId former) { adoption_holds_.insert(former); }

void LeaseTable::ReleaseAdoption(SessionId former) {
  if (adoption_holds_.erase(former) != 0) {
    Admit();
  }
}

void LeaseTable::Commit(SessionId session, bool stay) {
  CHECK(writer_ == session && building_ != 0);
  Holder& holder = holders_.at(session);
  Go(stay ? LeaseEvent::kCommitAndStay : LeaseEvent::kCommit);
  writer_.reset();
  if (stay) {
    holder.grant = Grant::kRo;
    ++readers_of_[holder.generation];
  } else {
    holders_.erase(session);
  }
  Publish(EventKind::kCommitted);
  Admit();
}

void LeaseTable::Seal(SessionId session) {
  CHECK(writer_ == session && building_ != 0);
  Go(LeaseEvent::kSeal);
  holders_.at(session).grant = Grant::kRwData;
  // What was held back was the layout before this one.
  adoption_holds_.clear();
  Publish(EventKind::kLayoutCommitted);
}

void LeaseTable::Publish(EventKind kind) {
  const uint64_t old = std::exchange(current_, std::exchange(building_, 0));
  Tell(kind, current_);
  if (old != 0) {
    Tell(EventKind::kSuperseded, old);
    DropUnlessRead(old);
  }
}

void LeaseTable::DropUnlessRead(uint64_t generation) {
  if (generation != current_ && !readers_of_.contains(generation)) {
    Tell(EventKind::kAllocationsCleared, generation);
  }
}

bool LeaseTable::LetGo() {
  if (!Next(state_, LeaseEvent::kLetGo)) {
    return false;
  }
  Go(LeaseEvent::kLetGo);
  Tell(EventKind::kAllocationsCleared, std::exchange(current_, 0));
  return true;
}

bool LeaseTable::Install(uint64_t generation, bool sealed) {
  if (next_generation_ != 1 || !line_.line().empty() || generation == 0) {
    return false;
  }
  state_ = sealed ? LeaseState::kSealed : LeaseState::kCommitted;
  current_ = generation;
  next_generation_ = generation + 1;
  return true;
}

std::optional<LeaseEvent> LeaseTable::EntryNow(LeaseRequest request) const {
  const std::optional<LeaseEvent> entry = EntryOf(request, state_);
  const bool held_back = entry == LeaseEvent::kAdopterIn && adoption_held();
  return held_back ? std::nullopt : entry;
}

void LeaseTable::Admit() {
  AdmitPatient();
  AdmitInOrder();
}

void LeaseTable::AdmitPatient() {
  if (!Next(state_, LeaseEvent::kReaderIn)) {
    return;
  }
  auto& line = line_.line();
  for (auto place = line.begin(); place != line.end();) {
    const bool ripe = PassedOver(place->second) >= patience_ &&
                      EntryOf(place->second.request, state_) == LeaseEvent::kReaderIn;
    if (ripe) {
      Enter(place->second, LeaseEvent::kReaderIn);
    }
    place = ripe ? line_.Remove(place) : std::next(place);
  }
}

// A plain writer that has to wait keeps everybody behind it out. No other waiter needs to: what a
// shadow writer waits for keeps later writers out as well, and later readers do not disturb it.
void LeaseTable::AdmitInOrder() {
  auto& line = line_.line();
  for (auto place = line.begin(); place != line.end();) {
    const LeaseRequest request = place->second.request;
    if (const std::optional<LeaseEvent> entry = EntryNow(request)) {
      Enter(place->second, *entry);
      place = line_.Remove(place);
    } else if (IsPlainWriter(request)) {
      return;
    } else {
      ++place;
    }
  }
}

void LeaseTable::Enter(const Waiter& waiter, LeaseEvent entry) {
  Go(entry);
  Holder holder{waiter.request, GrantOf(entry), current_, waiter.since};
  if (holder.grant == Grant::kRo) {
    ++readers_of_[current_];
  } else {
    writer_ = waiter.session;
    writers_admitted_ += RowOf(state_).committed ? 0 : 1;  // readers were passed over
    if (holder.grant == Grant::kRw) {
      holder.generation = building_ = next_generation_++;
    }
    Tell(EventKind::kRwConnected, holder.generation);
  }
  holders_.emplace(waiter.session, holder);
  outcome_.granted.push_back({waiter.session, holder.grant, holder.generation});
}

void LeaseTable::Go(LeaseEvent event) {
  const std::optional<LeaseState> next = Next(state_, event);
  CHECK(next.has_value()) << NameOf(event) << " cannot happen while " << RowOf(state_).name;
  state_ = *next;
}

void LeaseTable::Tell(EventKind kind, uint64_t generation) {
  outcome_.happenings.push_back({kind, generation});
}

}  // namespace hearth::gms::internal
