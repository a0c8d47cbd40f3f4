#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/internal/work_node.h"
#include "kube/model/names.h"

namespace hearth::controller::internal {

// Nodes by key: open addressing with linear probing, because one look-up must cost little more than
// the hash. Owns the nodes. Those no longer used stay for a while, in the table and with the memory
// of their strings: the same keys tend to come back, and a new key takes the place of the one
// unused for longest. Not thread-safe.
class NodeTable {
 public:
  // Names come from outside; a seed that nobody knows keeps them from being chosen to collide.
  explicit NodeTable(uint64_t seed);
  ~NodeTable();
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;

  WorkNode* Find(const kube::ObjectKey& key) const;  // null when there is none, or an unused one
  WorkNode& FindOrAdd(const kube::ObjectKey& key);   // one in use
  void Retire(WorkNode& node);                       // unused from here on
  size_t in_use() const { return size_ - spare_count_; }

 private:
  struct Slot {
    uint64_t hash;
    WorkNode* node;  // null: free
  };

  size_t SlotOf(uint64_t hash, const kube::ObjectKey& key) const;  // where it is or belongs
  WorkNode* NewNode();
  WorkNode* EvictOldest();
  void CloseGap(size_t gap);
  void Resize(size_t slots);

  uint64_t seed_;
  std::vector<Slot> slots_;  // a power of two
  size_t size_ = 0;
  WorkList spare_;  // unused, the oldest first
  size_t spare_count_ = 0;
};

}  // namespace hearth::controller::internal
