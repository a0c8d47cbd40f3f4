#include "gms/core/lease_transitions.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/file_system.h"
#include "base/strings.h"
#include "base/testing/status_matchers.h"

namespace hearth::gms {
namespace {

constexpr std::array kAllRequests = {LeaseRequest::kRo, LeaseRequest::kRw, LeaseRequest::kRwOrRo,
                                     LeaseRequest::kRwDataOrRw, LeaseRequest::kRwShadow};

// A state by its parts; what the table must follow from.
enum class Writer { kNone, kExclusive, kData, kShadow };
enum class Before { kNothing, kCommitted, kSealed };  // what is there besides the writer's own
struct Parts {
  Writer writer = Writer::kNone;
  Before before = Before::kNothing;
  bool readers = false;

  friend auto operator<=>(const Parts&, const Parts&) = default;
};

const std::map<LeaseState, Parts>& PartsOf() {
  static const std::map<LeaseState, Parts> kParts = {
      {LeaseState::kEmpty, {Writer::kNone, Before::kNothing, false}},
      {LeaseState::kCommitted, {Writer::kNone, Before::kCommitted, false}},
      {LeaseState::kSealed, {Writer::kNone, Before::kSealed, false}},
      {LeaseState::kReading, {Writer::kNone, Before::kCommitted, true}},
      {LeaseState::kWriting, {Writer::kExclusive, Before::kNothing, false}},
      {LeaseState::kReplacing, {Writer::kExclusive, Before::kCommitted, false}},
      {LeaseState::kReplacingSealed, {Writer::kExclusive, Before::kSealed, false}},
      {LeaseState::kWritingData, {Writer::kData, Before::kSealed, false}},
      {LeaseState::kShadowing, {Writer::kShadow, Before::kCommitted, false}},
      {LeaseState::kShadowingRead, {Writer::kShadow, Before::kCommitted, true}},
  };
  return kParts;
}

// One rule per event, from the meaning of the words.
std::optional<Parts> After(Parts s, LeaseEvent event) {
  const bool nobody_writes = s.writer == Writer::kNone;
  const bool shapes = s.writer == Writer::kExclusive || s.writer == Writer::kShadow;
  const bool readable =
      s.before == Before::kCommitted && (s.writer == Writer::kNone || s.writer == Writer::kShadow);
  switch (event) {
    case LeaseEvent::kWriterIn:
      return nobody_writes && !s.readers ? std::optional(Parts{Writer::kExclusive, s.before, false})
                                         : std::nullopt;
    case LeaseEvent::kAdopterIn:
      return nobody_writes && s.before == Before::kSealed
                 ? std::optional(Parts{Writer::kData, s.before, false})
                 : std::nullopt;
    case LeaseEvent::kShadowIn: {
      const bool beside = s.before == Before::kCommitted;
      return nobody_writes ? std::optional(Parts{beside ? Writer::kShadow : Writer::kExclusive,
                                                 s.before, s.readers})
                           : std::nullopt;
    }
    case LeaseEvent::kReaderIn:
      return readable ? std::optional(Parts{s.writer, s.before, true}) : std::nullopt;
    case LeaseEvent::kLetGo:
      return s.writer == Writer::kExclusive && s.before != Before::kNothing
                 ? std::optional(Parts{s.writer, Before::kNothing, false})
                 : std::nullopt;
    case LeaseEvent::kSeal:
      return s.writer == Writer::kExclusive
                 ? std::optional(Parts{Writer::kData, Before::kSealed, false})
                 : std::nullopt;
    case LeaseEvent::kCommit:
      return shapes ? std::optional(Parts{Writer::kNone, Before::kCommitted, s.readers})
                    : std::nullopt;
    case LeaseEvent::kCommitAndStay:
      return shapes ? std::optional(Parts{Writer::kNone, Before::kCommitted, true}) : std::nullopt;
    case LeaseEvent::kWriterOut:
      return nobody_writes ? std::nullopt
                           : std::optional(Parts{Writer::kNone, s.before, s.readers});
    case LeaseEvent::kReaderOut:
      return s.readers ? std::optional(s) : std::nullopt;
    case LeaseEvent::kLastReaderOut:
      return s.readers ? std::optional(Parts{s.writer, s.before, false}) : std::nullopt;
  }
  return std::nullopt;
}

TEST(LeaseTransitions, EveryStateWithEveryEventDoesWhatTheWordsMean) {
  std::set<Parts> distinct;
  for (const auto& [state, parts] : PartsOf()) {
    distinct.insert(parts);
    for (size_t e = 0; e < kLeaseEvents; ++e) {
      const auto event = static_cast<LeaseEvent>(e);
      const std::optional<LeaseState> next = Next(state, event);
      const std::optional<Parts> expected = After(parts, event);
      ASSERT_EQ(next.has_value(), expected.has_value())
          << RowOf(state).name << " " << NameOf(event);
      if (next) {
        EXPECT_EQ(PartsOf().at(*next), *expected) << RowOf(state).name << " " << NameOf(event);
      }
    }
  }
  EXPECT_EQ(distinct.size(), kLeaseStates);
}

TEST(LeaseTransitions, NoPairStandsTwice) {
  std::set<std::pair<LeaseState, LeaseEvent>> seen;
  for (const LeaseTransition& row : kLeaseTransitions) {
    EXPECT_TRUE(seen.emplace(row.from, row.event).second)
        << RowOf(row.from).name << " " << NameOf(row.event);
  }
}

TEST(LeaseTransitions, RowsStandAtTheirPlaceAndFollowFromTheParts) {
  for (size_t i = 0; i < kLeaseStates; ++i) {
    const LeaseStateRow& row = kLeaseStateTable[i];
    ASSERT_EQ(static_cast<size_t>(row.state), i);
    const Parts& parts = PartsOf().at(row.state);
    const bool beside = parts.writer == Writer::kNone || parts.writer == Writer::kShadow;
    EXPECT_EQ(row.writer, parts.writer != Writer::kNone) << row.name;
    EXPECT_EQ(row.committed, beside && parts.before == Before::kCommitted) << row.name;
    EXPECT_EQ(row.layout_committed, row.committed || (parts.writer != Writer::kExclusive &&
                                                      parts.before == Before::kSealed))
        << row.name;
  }
}

// 2.1: the order in which upstream derives the state; a writer beside committed contents is ours.
TEST(LeaseTransitions, StatesLookAsUpstreamDerivesThem) {
  for (const LeaseStateRow& row : kLeaseStateTable) {
    const Parts& parts = PartsOf().at(row.state);
    DomainState expected = DomainState::kEmpty;
    if (parts.writer == Writer::kExclusive || parts.writer == Writer::kData) {
      expected = DomainState::kRw;
    } else if (parts.readers) {
      expected = DomainState::kRo;
    } else if (parts.before == Before::kCommitted) {
      expected = DomainState::kCommitted;
    } else if (parts.before == Before::kSealed) {
      expected = DomainState::kLayoutCommitted;
    }
    EXPECT_EQ(row.seen_as, expected) << row.name;
  }
}

// 2.3: each of upstream's transitions is one of ours, and without shadow writers and kept
// generations ours are no others.
TEST(LeaseTransitions, UpstreamsTransitionsAreOurs) {
  using Seen = std::tuple<LeaseEvent, DomainState, DomainState>;
  const std::set<Seen> upstream = {
      {LeaseEvent::kWriterIn, DomainState::kEmpty, DomainState::kRw},
      {LeaseEvent::kWriterIn, DomainState::kLayoutCommitted, DomainState::kRw},
      {LeaseEvent::kWriterIn, DomainState::kCommitted, DomainState::kRw},
      {LeaseEvent::kAdopterIn, DomainState::kLayoutCommitted, DomainState::kRw},
      {LeaseEvent::kSeal, DomainState::kRw, DomainState::kRw},
      {LeaseEvent::kCommit, DomainState::kRw, DomainState::kCommitted},
      {LeaseEvent::kCommitAndStay, DomainState::kRw, DomainState::kRo},
      {LeaseEvent::kWriterOut, DomainState::kRw, DomainState::kEmpty},
      {LeaseEvent::kWriterOut, DomainState::kRw, DomainState::kLayoutCommitted},
      {LeaseEvent::kReaderIn, DomainState::kCommitted, DomainState::kRo},
      {LeaseEvent::kReaderIn, DomainState::kRo, DomainState::kRo},
      {LeaseEvent::kReaderOut, DomainState::kRo, DomainState::kRo},
      {LeaseEvent::kLastReaderOut, DomainState::kRo, DomainState::kCommitted},
  };
  std::set<Seen> ours;
  for (const LeaseTransition& row : kLeaseTransitions) {
    const bool kept =
        row.from == LeaseState::kReplacing || row.from == LeaseState::kReplacingSealed;
    const bool shadow = row.event == LeaseEvent::kShadowIn || row.from == LeaseState::kShadowing ||
                        row.from == LeaseState::kShadowingRead;
    if (!shadow && !(kept && row.event == LeaseEvent::kWriterOut) &&
        row.event != LeaseEvent::kLetGo) {
      ours.emplace(row.event, RowOf(row.from).seen_as, RowOf(row.to).seen_as);
    }
  }
  EXPECT_EQ(ours, upstream);
}

// 2.2, 2.4: who comes in as what, when nobody is in line.
TEST(LeaseTransitions, RequestsComeInAsUpstreamsPredicatesSay) {
  for (const auto& [state, parts] : PartsOf()) {
    const bool free = parts.writer == Writer::kNone && !parts.readers;
    const bool committed = RowOf(state).committed;
    for (const LeaseRequest request : kAllRequests) {
      std::optional<Grant> expected;
      if (request == LeaseRequest::kRo || request == LeaseRequest::kRwOrRo) {
        expected = committed ? std::optional(Grant::kRo) : std::nullopt;
      }
      if (request == LeaseRequest::kRw || (request == LeaseRequest::kRwOrRo && !committed)) {
        expected = free ? std::optional(Grant::kRw) : std::nullopt;
      }
      if (request == LeaseRequest::kRwDataOrRw && free) {
        expected = state == LeaseState::kSealed ? Grant::kRwData : Grant::kRw;
      }
      if (request == LeaseRequest::kRwShadow && parts.writer == Writer::kNone) {
        expected = Grant::kRw;
      }
      const std::optional<LeaseEvent> entry = EntryOf(request, state);
      EXPECT_EQ(entry ? std::optional(GrantOf(*entry)) : std::nullopt, expected)
          << WireName(request) << " in " << RowOf(state).name;
    }
  }
}

// ---- The page says what the code does.

std::string YesNo(bool value) { return value ? "yes" : "no"; }

std::vector<std::string> DocumentedStates() {
  std::vector<std::string> rows;
  for (const LeaseStateRow& row : kLeaseStateTable) {
    rows.push_back("| `" + std::string(row.name) + "` | " + std::string(WireName(row.seen_as)) +
                   " | " + YesNo(row.writer) + " | " + YesNo(row.committed) + " | " +
                   YesNo(row.layout_committed) + " |");
  }
  return rows;
}

std::vector<std::string> DocumentedEntries() {
  std::vector<std::string> rows;
  for (const LeaseStateRow& row : kLeaseStateTable) {
    std::string text = "| `" + std::string(row.name) + "` |";
    for (const LeaseRequest request : kAllRequests) {
      const auto entry = EntryOf(request, row.state);
      text += " " + (entry ? std::string(WireName(GrantOf(*entry))) : "waits") + " |";
    }
    rows.push_back(text);
  }
  return rows;
}

std::vector<std::string> DocumentedTransitions() {
  std::vector<std::string> rows;
  for (size_t e = 0; e < kLeaseEvents; ++e) {
    const auto event = static_cast<LeaseEvent>(e);
    std::string moves;
    for (const LeaseTransition& row : kLeaseTransitions) {
      if (row.event == event) {
        moves += (moves.empty() ? "" : ", ") + std::string(RowOf(row.from).name) + " → " +
                 std::string(RowOf(row.to).name);
      }
    }
    rows.push_back("| `" + std::string(NameOf(event)) + "` | " + moves + " |");
  }
  return rows;
}

// The rows of the table below that heading, without its head.
std::vector<std::string> RowsBelow(const std::string& page, const std::string& heading) {
  std::vector<std::string> rows;
  bool here = false;
  for (const std::string_view line : Split(page, '\n')) {
    if (line.starts_with("#")) {
      here = line == heading;
    } else if (here && line.starts_with("| `")) {
      rows.emplace_back(line);
    }
  }
  return rows;
}

TEST(LeaseTransitions, PageShowsTheTables) {
  ASSERT_OK_AND_ASSIGN(const std::string page,
                       RealFileSystem().Read(HEARTH_SOURCE_DIR "/docs/gms-leases.md", 1U << 20U));
  EXPECT_EQ(RowsBelow(page, "## States"), DocumentedStates());
  EXPECT_EQ(RowsBelow(page, "## Who comes in"), DocumentedEntries());
  EXPECT_EQ(RowsBelow(page, "## Transitions"), DocumentedTransitions());
}

}  // namespace
}  // namespace hearth::gms
