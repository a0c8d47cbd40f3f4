#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/internal/work_node.h"

namespace hearth::controller::internal {

// Delayed nodes, the earliest first. A node knows its place, so it can leave or move up from the
// middle. Not thread-safe.
class DelayHeap {
 public:
  bool empty() const { return nodes_.empty(); }
  size_t size() const { return nodes_.size(); }
  WorkNode* first() const { return nodes_.front(); }

  // `node->due` is set and it is not in the heap.
  void Add(WorkNode* node);
  void Remove(WorkNode* node);

 private:
  static bool Before(const WorkNode* a, const WorkNode* b);
  void Put(size_t index, WorkNode* node);
  void SiftUp(size_t index);
  void SiftDown(size_t index);

  std::vector<WorkNode*> nodes_;
  uint64_t added_ = 0;
};

}  // namespace hearth::controller::internal
