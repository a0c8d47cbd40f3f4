#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gms/core/domain.h"

namespace hearth::gms::testing {

// What a domain does, said as plainly as possible and without any care for speed: one list of
// sessions, rules as sentences, memory that goes with the last pointer to it. A second opinion for
// long random runs; shares no code with the domain.
class NaiveDomain {
 public:
  explicit NaiveDomain(DomainOptions options) : options_(options) {}

  void Request(SessionId id, LeaseRequest request, SteadyTime now, SteadyTime deadline);
  void Leave(SessionId id);
  void Expire(SteadyTime now);
  bool Allocate(SessionId id, const std::string& name, MemoryHandle memory);
  bool Free(SessionId id, const std::string& name);
  bool Commit(SessionId id, bool stay);
  bool Seal(SessionId id);
  bool Reclaim();
  void SetFenced(bool fenced);
  void SetAdoptionHeld(bool held);

  struct Generation {
    explicit Generation(std::vector<MemoryHandle>& to) : released(to) {}
    Generation(const Generation&) = delete;
    Generation& operator=(const Generation&) = delete;
    ~Generation() {
      for (const auto& [name, memory] : allocations) {
        released.push_back(memory);
      }
    }
    std::map<std::string, MemoryHandle> allocations;
    std::vector<MemoryHandle>& released;
  };
  struct Session {
    SessionId id;
    LeaseRequest request = LeaseRequest::kRo;
    SteadyTime deadline;
    std::optional<Grant> grant;
    std::shared_ptr<Generation> generation;  // while it has a grant
    bool beside = false;                     // writes beside what is committed
    int passed_over = 0;
  };
  const std::vector<Session>& sessions() const { return sessions_; }
  const Session* Find(SessionId id) const;
  bool committed() const;
  bool layout_committed() const;
  bool has_writer() const { return Writer() != nullptr; }
  size_t readers() const;
  DomainState state() const;
  size_t probed_allocations() const;

  // What the calls since they were last emptied brought about. Declared before what fills them.
  std::vector<MemoryHandle> released;
  std::vector<SessionId> timed_out, fenced;

 private:
  enum class Kind { kNone, kCommitted, kSealed };
  Session* FindMutable(SessionId id);
  const Session* Writer() const;
  bool Readable() const;
  bool WriterMay(size_t place) const;
  bool ReaderMay(size_t place) const;
  std::optional<Grant> May(size_t place) const;
  void Enter(size_t place, Grant grant);
  void Admit();
  bool AdmitOne(bool only_patient);

  DomainOptions options_;
  std::shared_ptr<Generation> current_;
  Kind kind_ = Kind::kNone;
  bool fenced_ = false, adoption_held_ = false;
  std::vector<Session> sessions_;  // in the order of coming
};

}  // namespace hearth::gms::testing
