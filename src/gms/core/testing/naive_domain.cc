#include "gms/core/testing/naive_domain.h"

#include <algorithm>

namespace hearth::gms::testing {

const NaiveDomain::Session* NaiveDomain::Find(SessionId id) const {
  for (const Session& session : sessions_) {
    if (session.id == id) {
      return &session;
    }
  }
  return nullptr;
}

NaiveDomain::Session* NaiveDomain::FindMutable(SessionId id) {
  return const_cast<Session*>(Find(id));
}

const NaiveDomain::Session* NaiveDomain::Writer() const {
  for (const Session& session : sessions_) {
    if (session.grant == Grant::kRw || session.grant == Grant::kRwData) {
      return &session;
    }
  }
  return nullptr;
}

size_t NaiveDomain::readers() const {
  return static_cast<size_t>(std::count_if(sessions_.begin(), sessions_.end(),
                                           [](const auto& s) { return s.grant == Grant::kRo; }));
}

bool NaiveDomain::Readable() const {
  return kind_ == Kind::kCommitted && (Writer() == nullptr || Writer()->beside);
}

bool NaiveDomain::committed() const { return Readable(); }

bool NaiveDomain::layout_committed() const {
  return Readable() ||
         (kind_ == Kind::kSealed && (Writer() == nullptr || Writer()->grant == Grant::kRwData));
}

DomainState NaiveDomain::state() const {
  if (Writer() != nullptr && !Writer()->beside) {
    return DomainState::kRw;
  }
  if (readers() != 0) {
    return DomainState::kRo;
  }
  return kind_ == Kind::kCommitted ? DomainState::kCommitted
         : kind_ == Kind::kSealed  ? DomainState::kLayoutCommitted
                                   : DomainState::kEmpty;
}

size_t NaiveDomain::probed_allocations() const {
  const Session* const writer = Writer();
  if (writer != nullptr && !writer->beside) {
    return writer->generation->allocations.size();
  }
  return current_ ? current_->allocations.size() : 0;
}

bool NaiveDomain::WriterMay(size_t place) const {
  for (size_t i = 0; i < place; ++i) {
    if (!sessions_[i].grant && (sessions_[i].request == LeaseRequest::kRw ||
                                sessions_[i].request == LeaseRequest::kRwDataOrRw ||
                                sessions_[i].request == LeaseRequest::kRwShadow)) {
      return false;
    }
  }
  return Writer() == nullptr;
}

bool NaiveDomain::ReaderMay(size_t place) const {
  if (sessions_[place].passed_over >= std::max(options_.writers_ahead_of_readers, 1)) {
    return Readable();
  }
  for (size_t i = 0; i < place; ++i) {
    if (!sessions_[i].grant && (sessions_[i].request == LeaseRequest::kRw ||
                                sessions_[i].request == LeaseRequest::kRwDataOrRw)) {
      return false;
    }
  }
  return Readable();
}

std::optional<Grant> NaiveDomain::May(size_t place) const {
  const bool alone = WriterMay(place) && readers() == 0;
  switch (sessions_[place].request) {
    case LeaseRequest::kRo:
      return ReaderMay(place) ? std::optional(Grant::kRo) : std::nullopt;
    case LeaseRequest::kRw:
      return alone ? std::optional(Grant::kRw) : std::nullopt;
    case LeaseRequest::kRwOrRo:
      if (ReaderMay(place)) {
        return Grant::kRo;
      }
      return alone && kind_ != Kind::kCommitted ? std::optional(Grant::kRw) : std::nullopt;
    case LeaseRequest::kRwDataOrRw:
      if (!alone || (kind_ == Kind::kSealed && adoption_held_)) {
        return std::nullopt;
      }
      return kind_ == Kind::kSealed ? Grant::kRwData : Grant::kRw;
    case LeaseRequest::kRwShadow:
      return WriterMay(place) ? std::optional(Grant::kRw) : std::nullopt;
  }
  return std::nullopt;
}

void NaiveDomain::Enter(size_t place, Grant grant) {
  Session& session = sessions_[place];
  session.grant = grant;
  session.generation = grant == Grant::kRw ? std::make_shared<Generation>(released) : current_;
  session.beside = grant == Grant::kRw && session.request == LeaseRequest::kRwShadow &&
                   kind_ == Kind::kCommitted;
  if (grant != Grant::kRo && !session.beside) {
    for (Session& other : sessions_) {
      other.passed_over += other.grant ? 0 : 1;
    }
  }
}

bool NaiveDomain::AdmitOne(bool only_patient) {
  for (size_t i = 0; i < sessions_.size(); ++i) {
    if (sessions_[i].grant) {
      continue;
    }
    const bool patient = sessions_[i].passed_over >= std::max(options_.writers_ahead_of_readers, 1);
    const auto grant = May(i);
    if (grant && (!only_patient || (patient && *grant == Grant::kRo))) {
      Enter(i, *grant);
      return true;
    }
  }
  return false;
}

void NaiveDomain::Admit() {
  while (AdmitOne(true) || AdmitOne(false)) {
  }
}

void NaiveDomain::Request(SessionId id, LeaseRequest request, SteadyTime now, SteadyTime deadline) {
  if (fenced_) {
    fenced.push_back(id);
    return;
  }
  sessions_.push_back({id, request, deadline, std::nullopt, nullptr, false, 0});
  Admit();
  if (deadline <= now && !sessions_.back().grant) {
    sessions_.pop_back();
    timed_out.push_back(id);
  }
}

void NaiveDomain::Leave(SessionId id) {
  std::erase_if(sessions_, [&](const Session& session) { return session.id == id; });
  Admit();
}

void NaiveDomain::Expire(SteadyTime now) {
  std::erase_if(sessions_, [&](const Session& session) {
    const bool over = !session.grant && session.deadline <= now;
    if (over) {
      timed_out.push_back(session.id);
    }
    return over;
  });
  Admit();
}

bool NaiveDomain::Allocate(SessionId id, const std::string& name, MemoryHandle memory) {
  Session* const session = FindMutable(id);
  if (session == nullptr || session->grant != Grant::kRw ||
      !session->generation->allocations.emplace(name, memory).second) {
    return false;
  }
  if (options_.replace == ReplacePolicy::kDestroyFirst) {
    Reclaim();
  }
  return true;
}

bool NaiveDomain::Free(SessionId id, const std::string& name) {
  Session* const session = FindMutable(id);
  if (session == nullptr || session->grant != Grant::kRw) {
    return false;
  }
  const auto found = session->generation->allocations.find(name);
  if (found == session->generation->allocations.end()) {
    return false;
  }
  released.push_back(found->second);
  session->generation->allocations.erase(found);
  return true;
}

bool NaiveDomain::Commit(SessionId id, bool stay) {
  Session* const session = FindMutable(id);
  if (session == nullptr || session->grant != Grant::kRw) {
    return false;
  }
  current_ = session->generation;
  kind_ = Kind::kCommitted;
  session->grant = Grant::kRo;
  session->beside = false;
  if (!stay) {
    Leave(id);
  }
  Admit();
  return true;
}

bool NaiveDomain::Seal(SessionId id) {
  Session* const session = FindMutable(id);
  if (session == nullptr || session->grant != Grant::kRw || session->beside) {
    return false;
  }
  current_ = session->generation;
  kind_ = Kind::kSealed;
  session->grant = Grant::kRwData;
  adoption_held_ = false;
  return true;
}

bool NaiveDomain::Reclaim() {
  const Session* const writer = Writer();
  if (kind_ == Kind::kNone || writer == nullptr || writer->grant != Grant::kRw || writer->beside) {
    return false;
  }
  current_.reset();
  kind_ = Kind::kNone;
  return true;
}

void NaiveDomain::SetFenced(bool fence) {
  fenced_ = fence;
  std::erase_if(sessions_, [&](const Session& session) {
    if (fence && !session.grant) {
      fenced.push_back(session.id);
    }
    return fence && !session.grant;
  });
}

void NaiveDomain::SetAdoptionHeld(bool held) {
  adoption_held_ = held;
  Admit();
}

}  // namespace hearth::gms::testing
