#include "kube/client/internal/handler_gate.h"

#include <utility>

namespace hearth::kube::internal {

void HandlerGate::Head(http::Response head) {
  std::lock_guard lock(mutex_);
  if (handler_ != nullptr) {
    handler_->OnHead(std::move(head));
  }
}

void HandlerGate::Data(std::string_view bytes, size_t capacity) {
  std::lock_guard lock(mutex_);
  if (handler_ != nullptr) {
    handler_->OnData(bytes, capacity);
  }
}

void HandlerGate::End(const Status& status) {
  std::lock_guard lock(mutex_);
  if (http::StreamHandler* const handler = std::exchange(handler_, nullptr)) {
    handler->OnEnd(status);
  }
}

void HandlerGate::CutOff() {
  if (loop_.OnLoopThread()) {
    // Calls happen on this thread only; one may be holding the lock below us.
    handler_ = nullptr;
    return;
  }
  std::lock_guard lock(mutex_);
  handler_ = nullptr;
}

}  // namespace hearth::kube::internal
