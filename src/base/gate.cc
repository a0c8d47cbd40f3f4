#include "base/gate.h"

#include <string>

#include "base/stop_waker.h"

namespace hearth {

Gate::Pass& Gate::Pass::operator=(Pass&& other) noexcept {
  if (this != &other) {
    Pass leaving(std::exchange(gate_, std::exchange(other.gate_, nullptr)));
  }
  return *this;
}

Gate::Pass::~Pass() {
  if (gate_ != nullptr) {
    gate_->Leave();
  }
}

std::optional<Gate::Pass> Gate::Enter() {
  std::lock_guard lock(mutex_);
  if (closed_) {
    return std::nullopt;
  }
  ++inside_;
  return Pass(this);
}

Status Gate::Close(Clock& clock, const WaitLimit& limit) {
  StopWaker waker(limit.stop, mutex_, left_);
  std::unique_lock lock(mutex_);
  closed_ = true;
  while (inside_ > 0) {
    Status over = limit.Check(clock, "closing a gate");
    if (!over.ok()) {
      return over.WithContext(std::to_string(inside_) + " still inside");
    }
    clock.WaitUntil(lock, left_, limit.deadline);
  }
  return {};
}

bool Gate::closed() const {
  std::lock_guard lock(mutex_);
  return closed_;
}

int Gate::inside() const {
  std::lock_guard lock(mutex_);
  return inside_;
}

void Gate::Leave() {
  // Notified under the lock: once the closer sees nobody inside, the gate may go.
  std::lock_guard lock(mutex_);
  --inside_;
  left_.notify_all();
}

}  // namespace hearth
