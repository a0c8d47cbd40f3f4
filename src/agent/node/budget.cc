#include "agent/node/budget.h"

#include <algorithm>
#include <utility>

#include "base/stop_waker.h"

namespace hearth::agent::node {

Budget::Share::Share(Share&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)), kind_(other.kind_), bytes_(other.bytes_) {}

Budget::Share::~Share() {
  if (budget_ != nullptr) {
    budget_->GiveBack(kind_, bytes_);
  }
}

Result<Budget::Share> Budget::Take(Kind kind, uint64_t bytes, const WaitLimit& limit) {
  const StopWaker waker(limit.stop, mutex_.native(), changed_);
  MutexLock lock(mutex_);
  const auto self = line_.insert(line_.end(), {kind, bytes});
  while (!MayGo(self)) {
    Status over = limit.Check(clock_, "wait for other captures and restores of the node");
    if (!over.ok()) {
      line_.erase(self);
      changed_.notify_all();
      return over;
    }
    clock_.WaitUntil(lock.native(), changed_, limit.deadline);
  }
  line_.erase(self);
  (kind == Kind::kCapture ? captures_ : restores_) += 1;
  bytes_ += bytes;
  changed_.notify_all();
  return Share(this, kind, bytes);
}

int Budget::used(Kind kind) const {
  MutexLock lock(mutex_);
  return kind == Kind::kCapture ? captures_ : restores_;
}

int Budget::waiting(Kind kind) const {
  MutexLock lock(mutex_);
  return static_cast<int>(std::count_if(line_.begin(), line_.end(),
                                        [&](const Waiter& waiter) { return waiter.kind == kind; }));
}

int Budget::Most(Kind kind) const {
  return kind == Kind::kCapture ? limits_.captures : limits_.restores;
}

bool Budget::Fits(const Waiter& waiter) const {
  const int used = waiter.kind == Kind::kCapture ? captures_ : restores_;
  const bool bytes_fit =
      limits_.bytes_in_flight == 0 || waiter.bytes == 0 || bytes_ == 0 ||
      (waiter.bytes <= limits_.bytes_in_flight && bytes_ <= limits_.bytes_in_flight - waiter.bytes);
  return used < Most(waiter.kind) && bytes_fit;
}

// Somebody before us who wants a slot of the same kind, or bytes as we do, goes first.
bool Budget::MayGo(std::list<Waiter>::iterator waiter) {
  const bool in_line = std::any_of(line_.begin(), waiter, [&](const Waiter& earlier) {
    return earlier.kind == waiter->kind || (earlier.bytes > 0 && waiter->bytes > 0);
  });
  return !in_line && Fits(*waiter);
}

void Budget::GiveBack(Kind kind, uint64_t bytes) {
  MutexLock lock(mutex_);
  (kind == Kind::kCapture ? captures_ : restores_) -= 1;
  bytes_ -= bytes;
  changed_.notify_all();
}

}  // namespace hearth::agent::node
