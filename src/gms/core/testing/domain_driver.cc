#include "gms/core/testing/domain_driver.h"

#include <gtest/gtest.h>

namespace hearth::gms::testing {

void DomainDriver::Settle() {
  const Domain::Effects effects = domain.TakeEffects();
  for (const MemoryHandle memory : effects.released) {
    EXPECT_EQ(memory_out_.erase(memory), 1U) << "memory " << memory << " came back twice";
  }
  for (const Granted& granted : effects.granted) {
    EXPECT_EQ(domain.GrantOf(granted.session), granted.grant);
  }
  timed_out_.insert(effects.timed_out.begin(), effects.timed_out.end());
  fenced_.insert(effects.fenced.begin(), effects.fenced.end());
}

SessionId DomainDriver::Ask(LeaseRequest request, SteadyTime deadline) {
  const SessionId session{next_session_++};
  domain.Request(session, request, now, deadline);
  Settle();
  return session;
}

void DomainDriver::Leave(SessionId session) {
  domain.Leave(session);
  Settle();
}

void DomainDriver::PassTime(Duration duration) {
  now += duration;
  domain.Expire(now);
  Settle();
}

std::string DomainDriver::StateOf(SessionId session) const {
  if (const auto grant = domain.GrantOf(session)) {
    return std::string(WireName(*grant));
  }
  if (timed_out_.contains(session)) {
    return "timed out";
  }
  if (fenced_.contains(session)) {
    return "fenced";
  }
  for (const Domain::Place& place : domain.Places()) {
    if (place.session == session) {
      return "waits";
    }
  }
  return "gone";
}

std::string DomainDriver::Allocate(SessionId session, const std::string& id) {
  const MemoryHandle memory = next_memory_++;
  std::string name = id.empty() ? "allocation-" + std::to_string(memory) : id;
  const Status may = domain.MayAllocate(session, name);
  const auto added = domain.Allocate(session, name, 4096, 4096, "weights", memory);
  EXPECT_TRUE(added.ok()) << added.status().ToString();
  EXPECT_EQ(may, added.status());
  memory_out_.insert(memory);
  Settle();
  return name;
}

Status DomainDriver::Put(SessionId session, const std::string& key, const std::string& id,
                         const std::string& value) {
  return domain.Put(session, key, {id, 0, value});
}

bool DomainDriver::Free(SessionId session, const std::string& id) {
  const auto freed = domain.Free(session, id);
  EXPECT_TRUE(freed.ok()) << freed.status().ToString();
  Settle();
  return freed.ok() && *freed;
}

Domain::Committed DomainDriver::Commit(SessionId session, bool stay) {
  const auto committed = domain.Commit(session, stay);
  EXPECT_TRUE(committed.ok()) << committed.status().ToString();
  Settle();
  return committed.ok() ? *committed : Domain::Committed{};
}

Domain::Committed DomainDriver::Seal(SessionId session) {
  const auto sealed = domain.CommitLayout(session);
  EXPECT_TRUE(sealed.ok()) << sealed.status().ToString();
  Settle();
  return sealed.ok() ? *sealed : Domain::Committed{};
}

Status DomainDriver::Abort(SessionId session) {
  Status status = domain.Abort(session);
  Settle();
  return status;
}

Domain::Committed DomainDriver::Publish(size_t count) {
  const SessionId writer = Ask(LeaseRequest::kRw);
  EXPECT_EQ(StateOf(writer), "rw");
  for (size_t i = 0; i < count; ++i) {
    Allocate(writer);
  }
  return Commit(writer);
}

size_t DomainDriver::AllocationsSeenBy(SessionId session) const {
  const auto layout = domain.LayoutOf(session);
  EXPECT_TRUE(layout.ok()) << layout.status().ToString();
  return layout.ok() ? (*layout)->allocation_count() : 0;
}

std::string DomainDriver::Events() const {
  std::string text;
  for (const Event& event : domain.events().events()) {
    text += text.empty() ? "" : " ";
    text += WireName(event.kind);
    if (event.allocation_count != 0) {
      text += "(" + std::to_string(event.allocation_count) + ")";
    }
  }
  return text;
}

}  // namespace hearth::gms::testing
