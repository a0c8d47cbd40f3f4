#include "controller/internal/node_table.h"

#include "controller/internal/key_hash.h"

namespace hearth::controller::internal {
namespace {

constexpr size_t kFirstSlots = 64;
// A table that grew beyond this for a first filling shrinks again; a smaller one is not worth it.
constexpr size_t kMostIdleSlots = 1024;
// More unused nodes than bursts need would only hold memory.
constexpr size_t kMostSpare = 128;

}  // namespace

NodeTable::NodeTable(uint64_t seed) : seed_(seed), slots_(kFirstSlots) {}

NodeTable::~NodeTable() {
  for (const Slot& slot : slots_) {
    delete slot.node;
  }
}

WorkNode* NodeTable::Find(const kube::ObjectKey& key) const {
  WorkNode* node = slots_[SlotOf(HashKey(key, seed_), key)].node;
  return node != nullptr && node->place != WorkNode::Place::kSpare ? node : nullptr;
}

WorkNode& NodeTable::FindOrAdd(const kube::ObjectKey& key) {
  const uint64_t hash = HashKey(key, seed_);
  WorkNode* node = slots_[SlotOf(hash, key)].node;
  if (node == nullptr) {
    node = NewNode();
    node->key = key;
    node->hash = hash;
    slots_[SlotOf(hash, key)] = {hash, node};
    ++size_;
  } else if (node->place == WorkNode::Place::kSpare) {
    spare_.Remove(node);
    --spare_count_;
  } else {
    return *node;
  }
  node->place = WorkNode::Place::kNowhere;
  return *node;
}

void NodeTable::Retire(WorkNode& node) {
  node.place = WorkNode::Place::kSpare;
  spare_.Append(&node);
  ++spare_count_;
  if (spare_count_ > kMostSpare) {
    delete EvictOldest();
  }
  if (slots_.size() > kMostIdleSlots && 16 * size_ < slots_.size()) {
    Resize(slots_.size() / 4);
  }
}

size_t NodeTable::SlotOf(uint64_t hash, const kube::ObjectKey& key) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].node != nullptr &&
         (slots_[at].hash != hash || slots_[at].node->key.name != key.name ||
          slots_[at].node->key.name_space != key.name_space)) {
    at = (at + 1) & mask;
  }
  return at;
}

// For one key more; slots found before are no longer true.
WorkNode* NodeTable::NewNode() {
  if (spare_count_ == kMostSpare) {
    return EvictOldest();
  }
  if (2 * (size_ + 1) > slots_.size()) {
    Resize(2 * slots_.size());
  }
  return new WorkNode;
}

WorkNode* NodeTable::EvictOldest() {
  WorkNode* node = spare_.first();
  spare_.Remove(node);
  --spare_count_;
  CloseGap(SlotOf(node->hash, node->key));
  --size_;
  return node;
}

// Moves what follows forward, so that no probe ends at the gap too early.
void NodeTable::CloseGap(size_t gap) {
  const size_t mask = slots_.size() - 1;
  for (size_t at = (gap + 1) & mask; slots_[at].node != nullptr; at = (at + 1) & mask) {
    const size_t home = slots_[at].hash & mask;
    // May move back only when its home does not lie behind the gap.
    if (((at - home) & mask) >= ((at - gap) & mask)) {
      slots_[gap] = slots_[at];
      gap = at;
    }
  }
  slots_[gap] = {};
}

void NodeTable::Resize(size_t slots) {
  std::vector<Slot> old(slots);
  old.swap(slots_);
  const size_t mask = slots - 1;
  for (const Slot& slot : old) {
    if (slot.node != nullptr) {
      size_t at = slot.hash & mask;
      while (slots_[at].node != nullptr) {
        at = (at + 1) & mask;
      }
      slots_[at] = slot;
    }
  }
}

}  // namespace hearth::controller::internal
