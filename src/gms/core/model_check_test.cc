// Walks every state that a few sessions can bring the leases into, whatever they ask for and in
// whatever order they come, go, publish, seal, run out of time or are fenced off, and checks in
// each step what must never happen. The rules stand here a second time, from the meaning of the
// words and without the table that the code asks.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "gms/core/internal/lease_table.h"

namespace hearth::gms::internal {
namespace {

struct Bounds {
  size_t sessions = 3;
  int patience = 1;
  bool deadlines = true;
  bool fences = true;
};

constexpr SteadyTime kNow{std::chrono::hours(1)};
constexpr SteadyTime kSoon = kNow + std::chrono::seconds(1);

enum class Act {
  kAsk,
  kLeave,
  kCommit,
  kCommitAndStay,
  kSeal,
  kLetGo,
  kExpire,
  kHold,
  kRelease,
  kFence
};
struct Step {
  Act act = Act::kAsk;
  SessionId session;  // unless kLetGo, kExpire, kRelease, kFence
  LeaseRequest request = LeaseRequest::kRo;
  SteadyTime deadline = SteadyTime::max();
};

// A reachable state, and what the past has made of the generations.
struct Node {
  LeaseTable table;
  std::set<uint64_t> alive;      // begun and not dropped
  std::set<uint64_t> committed;  // ever published
  uint64_t sealed = 0;           // the newest sealed one
  uint64_t next_session = 1;
  std::map<SessionId, uint64_t> passed_over;  // by exclusive writers, of those in line
};

std::vector<Waiter> LineOf(const LeaseTable& table) {
  std::vector<Waiter> line;
  for (const auto& [ticket, waiter] : table.line().line()) {
    line.push_back(waiter);
  }
  return line;
}

const Holder* WriterOf(const LeaseTable& table) {
  for (const auto& [session, holder] : table.holders()) {
    if (holder.grant != Grant::kRo) {
      return &holder;
    }
  }
  return nullptr;
}

// Two nodes of one key have the same future: sessions and generations differ only by name.
std::string KeyOf(const Node& node, const Bounds& bounds) {
  const LeaseTable& table = node.table;
  std::map<uint64_t, size_t> readers;
  std::string key = std::to_string(static_cast<int>(table.state()));
  for (const auto& [session, holder] : table.holders()) {
    if (holder.grant == Grant::kRo) {
      ++readers[holder.generation];
    } else {
      key += "w" + std::to_string(static_cast<int>(holder.grant)) +
             (holder.request == LeaseRequest::kRwShadow ? "s" : "p");
    }
  }
  std::multiset<size_t> old;
  for (const auto& [generation, count] : readers) {
    if (generation == table.current()) {
      key += "r" + std::to_string(count);
    } else {
      old.insert(count);
    }
  }
  for (const size_t count : old) {
    key += "o" + std::to_string(count);
  }
  key += table.current() != 0 ? "c" : "-";
  key += node.committed.contains(table.current()) ? "C" : "-";
  key += table.fenced() ? "f" : "-";
  key += table.adoption_held() ? "h" : "-";
  key += table.line().NextDeadline() == SteadyTime::max() ? "-" : "d";
  for (const Waiter& waiter : LineOf(table)) {
    const uint64_t passed =
        std::min(node.passed_over.at(waiter.session), static_cast<uint64_t>(bounds.patience));
    key += "|" + std::to_string(static_cast<int>(waiter.request)) + "," + std::to_string(passed) +
           (waiter.deadline == SteadyTime::max() ? "" : "d");
  }
  return key;
}

bool IsWriterRequest(LeaseRequest request) {
  return IsPlainWriter(request) || request == LeaseRequest::kRwShadow;
}

// Whether the waiter at `place` could come in: asked of a settled table, the answer must be no.
bool CouldComeIn(const Node& node, const std::vector<Waiter>& line, size_t place,
                 const Bounds& bounds) {
  const LeaseTable& table = node.table;
  const Holder* const writer = WriterOf(table);
  const bool readable = node.committed.contains(table.current()) &&
                        (writer == nullptr || writer->request == LeaseRequest::kRwShadow);
  bool writer_ahead = false;
  bool plain_ahead = false;
  for (size_t i = 0; i < place; ++i) {
    writer_ahead = writer_ahead || IsWriterRequest(line[i].request);
    plain_ahead = plain_ahead || IsPlainWriter(line[i].request);
  }
  const Waiter& waiter = line[place];
  const bool ripe = node.passed_over.at(waiter.session) >= static_cast<uint64_t>(bounds.patience);
  const bool reads = readable && (!plain_ahead || ripe);
  const bool writes = writer == nullptr && table.readers() == 0 && !writer_ahead;
  switch (waiter.request) {
    case LeaseRequest::kRo:
      return reads;
    case LeaseRequest::kRw:
      return writes;
    case LeaseRequest::kRwOrRo:
      return reads || (writes && !readable);
    case LeaseRequest::kRwDataOrRw:
      return writes &&
             !(table.adoption_held() && node.sealed == table.current() && table.current() != 0);
    case LeaseRequest::kRwShadow:
      return writer == nullptr && !writer_ahead;
  }
  return true;
}

class Explorer {
 public:
  explicit Explorer(Bounds bounds) : bounds_(bounds) {}

  void Run() {
    Visit(Node{LeaseTable(bounds_.patience), {}, {}, 0, 1, {}});
    while (!open_.empty() && !::testing::Test::HasFailure()) {
      const Node node = std::move(open_.front());
      open_.pop_front();
      for (const Step& step : StepsFrom(node)) {
        Visit(Take(node, step));
      }
    }
  }

  size_t states() const { return seen_.size(); }
  size_t steps() const { return steps_; }
  const std::set<LeaseState>& lease_states() const { return lease_states_; }

 private:
  void Visit(Node node) {
    if (seen_.insert(KeyOf(node, bounds_)).second) {
      lease_states_.insert(node.table.state());
      open_.push_back(std::move(node));
    }
  }

  std::vector<Step> StepsFrom(const Node& node) const {
    std::vector<Step> steps;
    AddAsking(node, steps);
    for (const auto& [session, holder] : node.table.holders()) {
      steps.push_back({Act::kLeave, session});
      if (holder.grant == Grant::kRw) {
        steps.push_back({Act::kCommit, session});
        steps.push_back({Act::kCommitAndStay, session});
        if (node.table.CanSeal()) {
          steps.push_back({Act::kSeal, session});
        }
      } else if (holder.grant == Grant::kRwData) {
        steps.push_back({Act::kHold, session});
      }
    }
    for (const Waiter& waiter : LineOf(node.table)) {
      steps.push_back({Act::kLeave, waiter.session});
    }
    steps.push_back({Act::kLetGo});
    steps.push_back({Act::kExpire});
    steps.push_back({Act::kRelease});
    if (bounds_.fences) {
      steps.push_back({Act::kFence});
    }
    return steps;
  }

  void AddAsking(const Node& node, std::vector<Step>& steps) const {
    if (node.table.holders().size() + node.table.line().line().size() >= bounds_.sessions) {
      return;
    }
    for (int kind = 0; kind <= static_cast<int>(LeaseRequest::kRwShadow); ++kind) {
      const auto request = static_cast<LeaseRequest>(kind);
      const SessionId session{node.next_session};
      steps.push_back({Act::kAsk, session, request});
      if (bounds_.deadlines) {
        steps.push_back({Act::kAsk, session, request, kSoon});
        steps.push_back({Act::kAsk, session, request, kNow});
      }
    }
  }

  Node Take(const Node& from, const Step& step) {
    ++steps_;
    Node to = from;
    Do(step, to);
    const LeaseTable::Outcome outcome = to.table.Take();
    for (const Happening& happening : outcome.happenings) {
      Follow(happening, to);
    }
    CountPassing(outcome, to);
    CheckState(to);
    CheckStep(from, step, outcome, to);
    EXPECT_FALSE(::testing::Test::HasFailure())
        << "from " << KeyOf(from, bounds_) << " by act " << static_cast<int>(step.act)
        << " request " << static_cast<int>(step.request) << " to " << KeyOf(to, bounds_);
    return to;
  }

  static void Do(const Step& step, Node& node) {
    switch (step.act) {
      case Act::kAsk:
        ++node.next_session;
        return node.table.Request(step.session, step.request, kNow, step.deadline);
      case Act::kHold:
        node.table.HoldAdoption(step.session);
        return node.table.Leave(step.session);
      case Act::kLeave:
        return node.table.Leave(step.session);
      case Act::kCommit:
      case Act::kCommitAndStay:
        return node.table.Commit(step.session, step.act == Act::kCommitAndStay);
      case Act::kSeal:
        return node.table.Seal(step.session);
      case Act::kLetGo:
        node.table.LetGo();
        return;
      case Act::kExpire:
        return node.table.Expire(kSoon);
      case Act::kRelease:
        for (uint64_t session = 1; session < node.next_session; ++session) {
          node.table.ReleaseAdoption(SessionId{session});
        }
        return;
      case Act::kFence:
        return node.table.SetFenced(!node.table.fenced());
    }
  }

  // A generation begins once and is dropped once.
  static void Follow(const Happening& happening, Node& node) {
    switch (happening.kind) {
      case EventKind::kRwConnected:
        if (happening.generation != node.sealed) {
          EXPECT_TRUE(node.alive.insert(happening.generation).second);
        }
        break;
      case EventKind::kAllocationsCleared:
        EXPECT_EQ(node.alive.erase(happening.generation), 1U) << "dropped twice";
        break;
      case EventKind::kCommitted:
        node.committed.insert(happening.generation);
        break;
      case EventKind::kLayoutCommitted:
        node.sealed = happening.generation;
        break;
      default:
        break;
    }
  }

  static void CountPassing(const LeaseTable::Outcome& outcome, Node& node) {
    uint64_t exclusive = 0;
    for (const Granted& granted : outcome.granted) {
      const bool beside =
          node.table.HolderOf(granted.session)->request == LeaseRequest::kRwShadow &&
          node.committed.contains(node.table.current());
      exclusive += granted.grant != Grant::kRo && !beside ? 1 : 0;
    }
    std::map<SessionId, uint64_t> counts;
    for (const Waiter& waiter : LineOf(node.table)) {
      counts[waiter.session] = node.passed_over[waiter.session] + exclusive;
      EXPECT_EQ(node.table.PassedOver(waiter), counts[waiter.session]) << "miscounted";
    }
    node.passed_over = std::move(counts);
  }

  void CheckState(const Node& node) const {
    const LeaseTable& table = node.table;
    std::set<uint64_t> held;
    size_t writers = 0;
    for (const auto& [session, holder] : table.holders()) {
      held.insert(holder.generation);
      writers += holder.grant == Grant::kRo ? 0 : 1;
      if (holder.grant == Grant::kRo) {
        EXPECT_TRUE(node.committed.contains(holder.generation))
            << "a reader of what is not published";
      }
    }
    EXPECT_LE(writers, 1U) << "two writers";
    const Holder* const writer = WriterOf(table);
    if (writer != nullptr && table.readers() != 0) {
      EXPECT_EQ(writer->request, LeaseRequest::kRwShadow) << "a plain writer beside readers";
    }
    held.insert(table.current());
    held.insert(table.building());
    held.erase(0);
    EXPECT_EQ(node.alive, held) << "what is alive is what somebody holds or what is newest";
    CheckLine(node);
  }

  void CheckLine(const Node& node) const {
    const std::vector<Waiter> line = LineOf(node.table);
    for (size_t place = 0; place < line.size(); ++place) {
      EXPECT_FALSE(CouldComeIn(node, line, place, bounds_)) << "lost wake-up of " << place;
      EXPECT_FALSE(node.table.fenced()) << "waits behind a fence";
      if (node.table.holders().empty() && !node.table.adoption_held()) {
        EXPECT_EQ(line[place].request, LeaseRequest::kRo) << "starves";
        EXPECT_FALSE(node.committed.contains(node.table.current())) << "starves";
      }
    }
  }

  void CheckStep(const Node& from, const Step& step, const LeaseTable::Outcome& outcome,
                 const Node& to) const {
    const bool publishes = step.act == Act::kCommit || step.act == Act::kCommitAndStay ||
                           step.act == Act::kSeal || step.act == Act::kLetGo;
    if (!publishes) {
      EXPECT_EQ(from.table.current(), to.table.current()) << "lost by coming or going";
    }
    const bool holder_goes =
        step.act == Act::kHold ||
        (step.act == Act::kLeave && from.table.HolderOf(step.session) != nullptr);
    if (!publishes && !holder_goes) {
      EXPECT_TRUE(
          std::includes(to.alive.begin(), to.alive.end(), from.alive.begin(), from.alive.end()))
          << "memory went without anybody holding less";
    }
    for (const Granted& granted : outcome.granted) {
      EXPECT_FALSE(granted.grant == Grant::kRwData && to.table.adoption_held())
          << "adopted while held back";
    }
    CheckOrder(from, step, outcome, to);
    CheckEverybodyIsSomewhere(from, step, outcome, to);
  }

  struct Candidate {
    SessionId session;
    LeaseRequest request;
    uint64_t passed_over;
  };

  // Who came in before whom.
  void CheckOrder(const Node& from, const Step& step, const LeaseTable::Outcome& outcome,
                  const Node& to) const {
    std::vector<Candidate> before;
    for (const Waiter& waiter : LineOf(from.table)) {
      before.push_back({waiter.session, waiter.request, from.passed_over.at(waiter.session)});
    }
    if (step.act == Act::kAsk) {
      before.push_back({step.session, step.request, 0});
    }
    for (size_t late = 0; late < before.size(); ++late) {
      for (const Granted& granted : outcome.granted) {
        if (granted.session == before[late].session) {
          CheckNotUnfair(before, late, granted, to);
        }
      }
    }
  }

  void CheckNotUnfair(const std::vector<Candidate>& before, size_t late, const Granted& granted,
                      const Node& to) const {
    const auto patience = static_cast<uint64_t>(bounds_.patience);
    const bool was_ripe = before[late].passed_over >= patience;
    const bool readable = to.committed.contains(to.table.current());
    for (size_t i = 0; i < before.size(); ++i) {
      if (!to.table.line().Contains(before[i].session)) {
        continue;
      }
      const LeaseRequest passed = before[i].request;
      if (granted.grant == Grant::kRo) {
        EXPECT_TRUE(i > late || !IsPlainWriter(passed) || was_ripe)
            << "a reader before a plain writer that came first";
        continue;
      }
      EXPECT_TRUE(i > late || !IsWriterRequest(passed)) << "a writer before one that came first";
      EXPECT_TRUE(i > late || passed != LeaseRequest::kRwOrRo) << "a writer before rw_or_ro";
      if (passed == LeaseRequest::kRo && readable && !RowOf(to.table.state()).committed) {
        EXPECT_GT(i, late) << "a writer before a reader that came first";
        EXPECT_LT(before[i].passed_over, patience) << "a reader passed over too often";
      }
    }
  }

  // Nobody vanishes: who was there and did not go holds, waits, or was told.
  static void CheckEverybodyIsSomewhere(const Node& from, const Step& step,
                                        const LeaseTable::Outcome& outcome, const Node& to) {
    std::multiset<SessionId> there;
    std::set<SessionId> expected;
    for (const Waiter& waiter : LineOf(from.table)) {
      expected.insert(waiter.session);
    }
    for (const auto& [session, holder] : from.table.holders()) {
      expected.insert(session);
    }
    if (step.act == Act::kAsk) {
      expected.insert(step.session);
    } else if (step.act == Act::kLeave || step.act == Act::kHold || step.act == Act::kCommit) {
      expected.erase(step.session);
    }
    for (const Waiter& waiter : LineOf(to.table)) {
      there.insert(waiter.session);
    }
    for (const auto& [session, holder] : to.table.holders()) {
      there.insert(session);
    }
    there.insert(outcome.timed_out.begin(), outcome.timed_out.end());
    there.insert(outcome.fenced.begin(), outcome.fenced.end());
    EXPECT_TRUE(std::equal(there.begin(), there.end(), expected.begin(), expected.end()))
        << "somebody is lost or counted twice";
  }

  Bounds bounds_;
  std::deque<Node> open_;
  std::unordered_set<std::string> seen_;
  std::set<LeaseState> lease_states_;
  size_t steps_ = 0;
};

void Explore(const Bounds& bounds) {
  Explorer explorer(bounds);
  explorer.Run();
  EXPECT_EQ(explorer.lease_states().size(), kLeaseStates) << "every state is reached";
  ::testing::Test::RecordProperty("states", static_cast<int>(explorer.states()));
  ::testing::Test::RecordProperty("steps", static_cast<int>(explorer.steps()));
  std::cout << explorer.states() << " states, " << explorer.steps() << " steps\n";
}

TEST(ModelCheck, ThreeSessionsWithDeadlinesAndFences) { Explore({}); }

TEST(ModelCheck, FourSessionsWithAPatienceOfOne) {
  Explore({.sessions = 4, .patience = 1, .deadlines = false, .fences = true});
}

TEST(ModelCheck, FourSessionsWithAPatienceOfTwo) {
  Explore({.sessions = 4, .patience = 2, .deadlines = false, .fences = false});
}

}  // namespace
}  // namespace hearth::gms::internal
