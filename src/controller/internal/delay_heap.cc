#include "controller/internal/delay_heap.h"

namespace hearth::controller::internal {

void DelayHeap::Add(WorkNode* node) {
  node->due_order = ++added_;
  nodes_.push_back(node);
  node->heap_index = nodes_.size() - 1;
  SiftUp(node->heap_index);
}

void DelayHeap::Remove(WorkNode* node) {
  const size_t index = node->heap_index;
  node->heap_index = kNotInHeap;
  WorkNode* last = nodes_.back();
  nodes_.pop_back();
  if (last != node) {
    Put(index, last);
    SiftUp(index);
    SiftDown(last->heap_index);
  }
}

bool DelayHeap::Before(const WorkNode* a, const WorkNode* b) {
  return a->due != b->due ? a->due < b->due : a->due_order < b->due_order;
}

void DelayHeap::Put(size_t index, WorkNode* node) {
  nodes_[index] = node;
  node->heap_index = index;
}

void DelayHeap::SiftUp(size_t index) {
  WorkNode* node = nodes_[index];
  while (index > 0 && Before(node, nodes_[(index - 1) / 2])) {
    Put(index, nodes_[(index - 1) / 2]);
    index = (index - 1) / 2;
  }
  Put(index, node);
}

void DelayHeap::SiftDown(size_t index) {
  WorkNode* node = nodes_[index];
  for (size_t child = 2 * index + 1; child < nodes_.size(); child = 2 * index + 1) {
    if (child + 1 < nodes_.size() && Before(nodes_[child + 1], nodes_[child])) {
      ++child;
    }
    if (!Before(nodes_[child], node)) {
      break;
    }
    Put(index, nodes_[child]);
    index = child;
  }
  Put(index, node);
}

}  // namespace hearth::controller::internal
