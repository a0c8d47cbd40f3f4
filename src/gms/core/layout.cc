#include "gms/core/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/sha256.h"
#include "gms/core/refusals.h"

namespace hearth::gms {
namespace {

Status Refuse(Code code, std::string_view reason, std::string message) {
  return Status(code, std::string(reason), std::move(message));
}

Status CheckSize(uint64_t size, uint64_t aligned_size, uint64_t used) {
  if (size == 0) {
    return Refuse(Code::kInvalid, refusal::kBadSize, "size must be > 0");
  }
  if (aligned_size < size || aligned_size > std::numeric_limits<uint64_t>::max() - used) {
    return Refuse(Code::kInvalid, refusal::kBadSize,
                  fmt::format("size {} cannot be aligned to {}: no device has that much memory",
                              size, aligned_size));
  }
  return {};
}

void AddNumber(Sha256& sha, uint64_t number) {
  std::string bytes(8, '\0');
  for (char& byte : bytes) {
    byte = static_cast<char>(number & 255U);
    number >>= 8U;
  }
  sha.Add(bytes);
}

void AddText(Sha256& sha, std::string_view text) {
  AddNumber(sha, text.size());
  sha.Add(text);
}

size_t RankOf(const std::vector<uint64_t>& slots, uint64_t slot) {
  return static_cast<size_t>(std::lower_bound(slots.begin(), slots.end(), slot) - slots.begin());
}

}  // namespace

Status Layout::MayAdd(std::string_view id) const {
  if (id.empty()) {
    return Refuse(Code::kInvalid, refusal::kEmptyId, "allocation ID must not be empty");
  }
  if (by_id_.contains(id)) {
    return Refuse(Code::kAlreadyExists, refusal::kIdExists,
                  fmt::format("allocation ID already exists: {}", id));
  }
  if (by_slot_.size() >= limits_.allocations) {
    return Refuse(Code::kExhausted, refusal::kTooManyAllocations,
                  fmt::format("layout already holds {} allocations, the most it may; "
                              "use fewer and larger ones",
                              limits_.allocations));
  }
  return {};
}

Result<const Allocation*> Layout::Add(std::string id, uint64_t size, uint64_t aligned_size,
                                      std::string tag, MemoryHandle memory) {
  RETURN_IF_ERROR(MayAdd(id));
  RETURN_IF_ERROR(CheckSize(size, aligned_size, total_bytes_));
  const uint64_t slot = next_slot_++;
  Entry& entry = by_slot_[slot];
  entry.allocation = {std::move(id), size, aligned_size, std::move(tag), slot, memory};
  by_id_.emplace(entry.allocation.id, &entry);
  total_bytes_ += aligned_size;
  return &entry.allocation;
}

Layout::Entry* Layout::EntryOf(std::string_view id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

const Allocation* Layout::Find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second->allocation;
}

MemoryHandle Layout::Remove(std::string_view id) {
  Entry* const entry = EntryOf(id);
  if (entry == nullptr) {
    return 0;
  }
  for (const std::string_view key : entry->keys) {
    const auto found = metadata_.find(key);
    metadata_bytes_ -= key.size() + found->second.value.size();
    metadata_.erase(found);
  }
  const MemoryHandle memory = entry->allocation.memory;
  total_bytes_ -= entry->allocation.aligned_size;
  by_id_.erase(entry->allocation.id);
  by_slot_.erase(entry->allocation.slot);
  return memory;
}

std::vector<const Allocation*> Layout::BySlot() const {
  std::vector<const Allocation*> all;
  all.reserve(by_slot_.size());
  for (const auto& [slot, entry] : by_slot_) {
    all.push_back(&entry.allocation);
  }
  return all;
}

Status Layout::MayPut(std::string_view key, const Metadata& metadata) const {
  const Allocation* const target = Find(metadata.allocation_id);
  if (target == nullptr) {
    return Refuse(Code::kNotFound, refusal::kUnknownAllocation,
                  fmt::format("Unknown allocation: {}", metadata.allocation_id));
  }
  if (metadata.offset_bytes >= target->aligned_size) {
    return Refuse(Code::kInvalid, refusal::kOffsetOutOfRange,
                  fmt::format("offset_bytes {} out of range for allocation {} (aligned_size={})",
                              metadata.offset_bytes, target->id, target->aligned_size));
  }
  const Metadata* const old = Get(key);
  const uint64_t freed = old == nullptr ? 0 : key.size() + old->value.size();
  const uint64_t bytes = metadata_bytes_ - freed + key.size() + metadata.value.size();
  if ((old == nullptr && metadata_.size() >= limits_.metadata_keys) ||
      bytes > limits_.metadata_bytes) {
    return Refuse(Code::kExhausted, refusal::kTooMuchMetadata,
                  fmt::format("metadata of a layout may have {} keys and {} bytes; this would be "
                              "{} keys and {} bytes",
                              limits_.metadata_keys, limits_.metadata_bytes,
                              metadata_.size() + (old == nullptr ? 1 : 0), bytes));
  }
  return {};
}

void Layout::Unlink(const Metadata& metadata, std::string_view key) {
  metadata_bytes_ -= key.size() + metadata.value.size();
  EntryOf(metadata.allocation_id)->keys.erase(key);
}

Status Layout::Put(std::string key, Metadata metadata) {
  RETURN_IF_ERROR(MayPut(key, metadata));
  const auto [place, is_new] = metadata_.try_emplace(std::move(key));
  if (!is_new) {
    Unlink(place->second, place->first);
  }
  metadata_bytes_ += place->first.size() + metadata.value.size();
  EntryOf(metadata.allocation_id)->keys.insert(place->first);
  place->second = std::move(metadata);
  return {};
}

const Metadata* Layout::Get(std::string_view key) const {
  const auto found = metadata_.find(key);
  return found == metadata_.end() ? nullptr : &found->second;
}

bool Layout::Delete(std::string_view key) {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) {
    return false;
  }
  Unlink(found->second, found->first);
  metadata_.erase(found);
  return true;
}

std::vector<uint64_t> Layout::SlotsInOrder() const {
  std::vector<uint64_t> slots;
  slots.reserve(by_slot_.size());
  for (const auto& [slot, entry] : by_slot_) {
    slots.push_back(slot);
  }
  return slots;
}

std::string Layout::Hash() const {
  Sha256 sha;
  size_t rank = 0;
  for (const auto& [slot, entry] : by_slot_) {
    const Allocation& a = entry.allocation;
    sha.Add(fmt::format("{}:{}:{}:{}", rank++, a.size, a.aligned_size, a.tag));
  }
  const std::vector<uint64_t> slots = SlotsInOrder();
  for (const auto& [key, entry] : metadata_) {
    if (!IsEngineKey(key)) {
      const size_t target = RankOf(slots, Find(entry.allocation_id)->slot);
      sha.Add(fmt::format("{}:{}:{}:", key, target, entry.offset_bytes));
      sha.Add(entry.value);
    }
  }
  return sha.Hex();
}

std::string Layout::StrictHash() const {
  Sha256 sha;
  AddText(sha, "gms layout 1");
  AddNumber(sha, by_slot_.size());
  for (const auto& [slot, entry] : by_slot_) {
    AddNumber(sha, entry.allocation.size);
    AddNumber(sha, entry.allocation.aligned_size);
    AddText(sha, entry.allocation.tag);
  }
  const std::vector<uint64_t> slots = SlotsInOrder();
  for (const auto& [key, entry] : metadata_) {
    if (!IsEngineKey(key)) {
      AddText(sha, key);
      AddNumber(sha, RankOf(slots, Find(entry.allocation_id)->slot));
      AddNumber(sha, entry.offset_bytes);
      AddText(sha, entry.value);
    }
  }
  return sha.Hex();
}

}  // namespace hearth::gms
