#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "controller/work_queue.h"
#include "kube/model/names.h"

namespace hearth::controller::internal {

inline constexpr size_t kNotInHeap = SIZE_MAX;

// All that the queue knows about one key. A key has a node while it waits, runs, is delayed or has
// failures to remember.
struct WorkNode {
  enum class Place : uint8_t { kSpare, kNowhere, kReady, kRunning };  // kSpare: not in use

  kube::ObjectKey key;
  uint64_t hash = 0;

  // Links of the one list it is in: ready keys of its priority, running ones, or spare ones.
  WorkNode* previous = nullptr;
  WorkNode* next = nullptr;
  Place place = Place::kSpare;
  Priority priority = Priority::kNormal;  // of the next run, or of the one going on
  bool again = false;                     // added while running
  Priority again_priority = Priority::kNormal;
  int failures = 0;

  // Also while running: the delay may end before the run does.
  size_t heap_index = kNotInHeap;
  SteadyTime due;
  uint64_t due_order = 0;  // first in, first out among equal times
  Priority due_priority = Priority::kNormal;

  // Only with metrics.
  SteadyTime since;  // ready or running since

  bool Idle() const {
    return place == Place::kNowhere && heap_index == kNotInHeap && failures == 0;
  }
};

// A doubly linked list through the nodes themselves.
class WorkList {
 public:
  bool empty() const { return first_ == nullptr; }
  WorkNode* first() const { return first_; }

  void Append(WorkNode* node) {
    node->previous = last_;
    node->next = nullptr;
    (last_ != nullptr ? last_->next : first_) = node;
    last_ = node;
  }
  void Remove(WorkNode* node) {
    (node->previous != nullptr ? node->previous->next : first_) = node->next;
    (node->next != nullptr ? node->next->previous : last_) = node->previous;
  }

 private:
  WorkNode* first_ = nullptr;
  WorkNode* last_ = nullptr;
};

}  // namespace hearth::controller::internal
