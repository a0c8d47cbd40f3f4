#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gms/core/lease.h"

// The states of a domain and all there is between them, as a table that the code asks. A pair of
// state and event that stands in no row cannot happen; whether somebody comes in is the question
// whether there is a row. docs/gms-leases.md shows the table and says why; a test compares them.
namespace hearth::gms {

// "Kept" is a generation that came before the writer's own and that comes back when the writer
// fails.
enum class LeaseState : uint8_t {
  kEmpty,            // nobody, nothing
  kCommitted,        // nobody; contents are published
  kSealed,           // nobody; the shape is sealed, contents are not published
  kReading,          // readers of published contents
  kWriting,          // a writer; nothing is kept
  kReplacing,        // a writer; published contents are kept
  kReplacingSealed,  // a writer; a sealed layout is kept
  kWritingData,      // a writer inside a sealed layout
  kShadowing,        // a writer beside published contents that nobody reads now
  kShadowingRead,    // a writer beside published contents and their readers
};
inline constexpr size_t kLeaseStates = 10;

enum class LeaseEvent : uint8_t {
  kWriterIn,       // rw is granted, or rw_or_ro as a writer
  kAdopterIn,      // rw_data_or_rw finds a sealed layout
  kShadowIn,       // rw_shadow is granted
  kReaderIn,       // ro is granted, or rw_or_ro as a reader
  kLetGo,          // what is kept goes: its memory is needed, or the policy says so
  kSeal,           // the writer seals its shape
  kCommit,         // the writer publishes and goes
  kCommitAndStay,  // the writer publishes and becomes a reader
  kWriterOut,      // the writer goes without having published
  kReaderOut,      // a reader goes, others stay
  kLastReaderOut,  // the last reader goes
};
inline constexpr size_t kLeaseEvents = 11;

// What a state looks like from outside.
struct LeaseStateRow {
  LeaseState state;
  std::string_view name;
  DomainState seen_as;
  bool writer;            // somebody writes
  bool committed;         // there are contents for readers; nobody stands in their way
  bool layout_committed;  // and the shape is final
};

inline constexpr std::array<LeaseStateRow, kLeaseStates> kLeaseStateTable = {{
    {LeaseState::kEmpty, "empty", DomainState::kEmpty, false, false, false},
    {LeaseState::kCommitted, "committed", DomainState::kCommitted, false, true, true},
    {LeaseState::kSealed, "sealed", DomainState::kLayoutCommitted, false, false, true},
    {LeaseState::kReading, "reading", DomainState::kRo, false, true, true},
    {LeaseState::kWriting, "writing", DomainState::kRw, true, false, false},
    {LeaseState::kReplacing, "replacing", DomainState::kRw, true, false, false},
    {LeaseState::kReplacingSealed, "replacing-sealed", DomainState::kRw, true, false, false},
    {LeaseState::kWritingData, "writing-data", DomainState::kRw, true, false, true},
    {LeaseState::kShadowing, "shadowing", DomainState::kCommitted, true, true, true},
    {LeaseState::kShadowingRead, "shadowing-read", DomainState::kRo, true, true, true},
}};

struct LeaseTransition {
  LeaseState from;
  LeaseEvent event;
  LeaseState to;
};

inline constexpr std::array kLeaseTransitions = {
    LeaseTransition{LeaseState::kEmpty, LeaseEvent::kWriterIn, LeaseState::kWriting},
    LeaseTransition{LeaseState::kCommitted, LeaseEvent::kWriterIn, LeaseState::kReplacing},
    LeaseTransition{LeaseState::kSealed, LeaseEvent::kWriterIn, LeaseState::kReplacingSealed},

    LeaseTransition{LeaseState::kSealed, LeaseEvent::kAdopterIn, LeaseState::kWritingData},

    // Where nothing is published there is nothing to write beside: as kWriterIn.
    LeaseTransition{LeaseState::kEmpty, LeaseEvent::kShadowIn, LeaseState::kWriting},
    LeaseTransition{LeaseState::kSealed, LeaseEvent::kShadowIn, LeaseState::kReplacingSealed},
    LeaseTransition{LeaseState::kCommitted, LeaseEvent::kShadowIn, LeaseState::kShadowing},
    LeaseTransition{LeaseState::kReading, LeaseEvent::kShadowIn, LeaseState::kShadowingRead},

    LeaseTransition{LeaseState::kCommitted, LeaseEvent::kReaderIn, LeaseState::kReading},
    LeaseTransition{LeaseState::kReading, LeaseEvent::kReaderIn, LeaseState::kReading},
    LeaseTransition{LeaseState::kShadowing, LeaseEvent::kReaderIn, LeaseState::kShadowingRead},
    LeaseTransition{LeaseState::kShadowingRead, LeaseEvent::kReaderIn, LeaseState::kShadowingRead},

    // A shadow writer promised to leave what is published alone.
    LeaseTransition{LeaseState::kReplacing, LeaseEvent::kLetGo, LeaseState::kWriting},
    LeaseTransition{LeaseState::kReplacingSealed, LeaseEvent::kLetGo, LeaseState::kWriting},

    // A sealed layout has no readers, so nobody seals beside them.
    LeaseTransition{LeaseState::kWriting, LeaseEvent::kSeal, LeaseState::kWritingData},
    LeaseTransition{LeaseState::kReplacing, LeaseEvent::kSeal, LeaseState::kWritingData},
    LeaseTransition{LeaseState::kReplacingSealed, LeaseEvent::kSeal, LeaseState::kWritingData},

    LeaseTransition{LeaseState::kWriting, LeaseEvent::kCommit, LeaseState::kCommitted},
    LeaseTransition{LeaseState::kReplacing, LeaseEvent::kCommit, LeaseState::kCommitted},
    LeaseTransition{LeaseState::kReplacingSealed, LeaseEvent::kCommit, LeaseState::kCommitted},
    LeaseTransition{LeaseState::kShadowing, LeaseEvent::kCommit, LeaseState::kCommitted},
    LeaseTransition{LeaseState::kShadowingRead, LeaseEvent::kCommit, LeaseState::kReading},

    LeaseTransition{LeaseState::kWriting, LeaseEvent::kCommitAndStay, LeaseState::kReading},
    LeaseTransition{LeaseState::kReplacing, LeaseEvent::kCommitAndStay, LeaseState::kReading},
    LeaseTransition{LeaseState::kReplacingSealed, LeaseEvent::kCommitAndStay, LeaseState::kReading},
    LeaseTransition{LeaseState::kShadowing, LeaseEvent::kCommitAndStay, LeaseState::kReading},
    LeaseTransition{LeaseState::kShadowingRead, LeaseEvent::kCommitAndStay, LeaseState::kReading},

    LeaseTransition{LeaseState::kWriting, LeaseEvent::kWriterOut, LeaseState::kEmpty},
    LeaseTransition{LeaseState::kReplacing, LeaseEvent::kWriterOut, LeaseState::kCommitted},
    LeaseTransition{LeaseState::kReplacingSealed, LeaseEvent::kWriterOut, LeaseState::kSealed},
    LeaseTransition{LeaseState::kWritingData, LeaseEvent::kWriterOut, LeaseState::kSealed},
    LeaseTransition{LeaseState::kShadowing, LeaseEvent::kWriterOut, LeaseState::kCommitted},
    LeaseTransition{LeaseState::kShadowingRead, LeaseEvent::kWriterOut, LeaseState::kReading},

    LeaseTransition{LeaseState::kReading, LeaseEvent::kReaderOut, LeaseState::kReading},
    LeaseTransition{LeaseState::kShadowingRead, LeaseEvent::kReaderOut, LeaseState::kShadowingRead},
    LeaseTransition{LeaseState::kReading, LeaseEvent::kLastReaderOut, LeaseState::kCommitted},
    LeaseTransition{LeaseState::kShadowingRead, LeaseEvent::kLastReaderOut, LeaseState::kShadowing},
};

std::string_view NameOf(LeaseEvent event);  // "writer-in"
const LeaseStateRow& RowOf(LeaseState state);
// Nothing: it cannot happen then.
std::optional<LeaseState> Next(LeaseState state, LeaseEvent event);
// How that request comes in when nobody is before it in line; nothing: it has to wait.
std::optional<LeaseEvent> EntryOf(LeaseRequest request, LeaseState state);
Grant GrantOf(LeaseEvent entry);

}  // namespace hearth::gms
