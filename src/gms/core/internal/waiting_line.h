#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "gms/core/lease.h"

namespace hearth::gms::internal {

struct Waiter {
  SessionId session;
  LeaseRequest request = LeaseRequest::kRo;
  SteadyTime since;
  SteadyTime deadline;
  uint64_t writers_before = 0;  // exclusive writers admitted before it joined
};

// Who waits, in the order of coming. A value; knows nothing about who may come in.
class WaitingLine {
 public:
  using Line = std::map<uint64_t, Waiter>;  // by ticket

  void Join(const Waiter& waiter);
  bool Leave(SessionId session);  // false: does not wait
  // The one after it.
  Line::iterator Remove(Line::iterator place);
  // Takes out everybody, or those whose deadline has passed, in order.
  std::vector<SessionId> TakeAll();
  std::vector<SessionId> TakeOverdue(SteadyTime now);

  bool Contains(SessionId session) const { return tickets_.contains(session); }
  SteadyTime NextDeadline() const;  // max() when there is none
  Line& line() { return line_; }
  const Line& line() const { return line_; }

 private:
  Line line_;
  std::map<SessionId, uint64_t> tickets_;
  std::set<std::pair<SteadyTime, uint64_t>> deadlines_;  // without those of no end
  uint64_t next_ticket_ = 0;
};

}  // namespace hearth::gms::internal
