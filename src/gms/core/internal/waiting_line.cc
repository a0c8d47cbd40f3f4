#include "gms/core/internal/waiting_line.h"

#include <algorithm>

#include "base/check.h"

namespace hearth::gms::internal {

void WaitingLine::Join(const Waiter& waiter) {
  const uint64_t ticket = next_ticket_++;
  CHECK(tickets_.emplace(waiter.session, ticket).second)
      << "session " << waiter.session.value << " waits already";
  line_.emplace(ticket, waiter);
  if (waiter.deadline != SteadyTime::max()) {
    deadlines_.emplace(waiter.deadline, ticket);
  }
}

WaitingLine::Line::iterator WaitingLine::Remove(Line::iterator place) {
  tickets_.erase(place->second.session);
  deadlines_.erase({place->second.deadline, place->first});
  return line_.erase(place);
}

bool WaitingLine::Leave(SessionId session) {
  const auto found = tickets_.find(session);
  if (found == tickets_.end()) {
    return false;
  }
  Remove(line_.find(found->second));
  return true;
}

std::vector<SessionId> WaitingLine::TakeAll() {
  std::vector<SessionId> taken;
  while (!line_.empty()) {
    taken.push_back(line_.begin()->second.session);
    Remove(line_.begin());
  }
  return taken;
}

std::vector<SessionId> WaitingLine::TakeOverdue(SteadyTime now) {
  std::vector<uint64_t> overdue;
  for (auto it = deadlines_.begin(); it != deadlines_.end() && it->first <= now; ++it) {
    overdue.push_back(it->second);
  }
  std::sort(overdue.begin(), overdue.end());
  std::vector<SessionId> taken;
  for (const uint64_t ticket : overdue) {
    const auto place = line_.find(ticket);
    taken.push_back(place->second.session);
    Remove(place);
  }
  return taken;
}

SteadyTime WaitingLine::NextDeadline() const {
  return deadlines_.empty() ? SteadyTime::max() : deadlines_.begin()->first;
}

}  // namespace hearth::gms::internal
