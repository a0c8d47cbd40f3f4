#include "agent/files/internal/directory_queue.h"

#include <utility>

namespace hearth::agent::files {

void DirectoryQueue::Put(Piece piece) {
  const std::lock_guard lock(mutex_);
  pieces_.push_back(std::move(piece));
  changed_.notify_one();
}

std::optional<DirectoryQueue::Piece> DirectoryQueue::Take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !pieces_.empty() || walking_ == 0 || !outcome_.ok(); });
  if (pieces_.empty() || !outcome_.ok()) {
    return std::nullopt;
  }
  Piece piece = std::move(pieces_.back());
  pieces_.pop_back();
  ++walking_;
  return piece;
}

void DirectoryQueue::Done(const Status& outcome) {
  const std::lock_guard lock(mutex_);
  --walking_;
  if (outcome_.ok()) {
    outcome_ = outcome;
  }
  if (!outcome_.ok() || (walking_ == 0 && pieces_.empty())) {
    changed_.notify_all();
  }
}

Status DirectoryQueue::outcome() const {
  const std::lock_guard lock(mutex_);
  return outcome_;
}

}  // namespace hearth::agent::files
