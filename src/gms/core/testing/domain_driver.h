#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gms/core/domain.h"

namespace hearth::gms::testing {

// Plays the server and its clients against a domain: hands out sessions and memory, takes the
// effects after every step, and knows which memory is out. A piece of memory that comes back twice,
// or was never given, is a test failure.
class DomainDriver {
 public:
  explicit DomainDriver(DomainOptions options = {}) : domain(options) {}

  // A new session that asks; `wait` bounds how long from now on.
  SessionId Ask(LeaseRequest request, SteadyTime deadline = SteadyTime::max());
  SessionId AskOnce(LeaseRequest request) { return Ask(request, now); }
  void Leave(SessionId session);
  void PassTime(Duration duration);

  // "rw", "ro", "rw_data", "waits", "timed out", "fenced" or "gone".
  std::string StateOf(SessionId session) const;
  // Memory of 4096 bytes with tag "weights"; the id is returned.
  std::string Allocate(SessionId session, const std::string& id = "");
  Status Put(SessionId session, const std::string& key, const std::string& id,
             const std::string& value = "value");
  bool Free(SessionId session, const std::string& id);
  Domain::Committed Commit(SessionId session, bool stay = false);
  Domain::Committed Seal(SessionId session);
  Status Abort(SessionId session);
  // A writer comes, allocates `count` pieces, commits and goes.
  Domain::Committed Publish(size_t count = 1);
  // Takes effects; for calls made to `domain` itself.
  void Settle();

  size_t AllocationsSeenBy(SessionId session) const;
  std::string State() const { return std::string(WireName(domain.Look().state)); }
  // "rw_connected committed allocations_cleared(1)", a count only when it is not 0.
  std::string Events() const;
  const std::set<MemoryHandle>& memory_out() const { return memory_out_; }

  Domain domain;
  SteadyTime now{std::chrono::hours(1)};

 private:
  uint64_t next_session_ = 1;
  MemoryHandle next_memory_ = 1;
  std::set<MemoryHandle> memory_out_;
  std::set<SessionId> timed_out_, fenced_;
};

}  // namespace hearth::gms::testing
