#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory_resource>
#include <string_view>
#include <unordered_map>

#include "api/conversion/internal/tree.h"

namespace hearth::api::conversion::internal {

// Holds what is made during one conversion, and lets go of all of it at once. Not for two threads.
class Arena {
 public:
  Arena() : memory_(buffer_.data(), buffer_.size()) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  const json::Value& KeepValue(json::Value value) { return values_.emplace_back(std::move(value)); }
  Tree Keep(json::Value value) { return Tree(&KeepValue(std::move(value))); }
  Tree Text(std::string_view text) { return Keep(json::Value(text)); }

  // What was made of a tree before, to be set by whoever makes it. Trees that are tried out one
  // after the other share most of what they hold; that is mapped once.
  Tree& MadeOf(const Tree& tree) { return made_[tree.id()]; }

  // What is saved in an annotation may be written by anybody, to make us try again and again what
  // cannot come back. Work is counted in bytes that are made or read for it, so that the same
  // object always gives the same result; objects that a server stores need a small part of what
  // there is. What takes more than that is refused, never dropped.
  void Spend(size_t bytes) { spent_ += bytes; }
  // For members or items looked at one after the other.
  void SpendLooks(size_t count) { Spend(count * sizeof(void*)); }
  // For a name put into a hash table.
  void SpendIndexing(std::string_view name) { Spend(64 + name.size()); }
  bool Exhausted() const { return spent_ > kMostBytes; }
  size_t spent() const { return spent_; }

  // A member of what is mapped. Whatever is tried is mapped back, so that is work also when nothing
  // is made of what was read: a list without an item that the other version can say, for example.
  Tree Find(const Tree& object, std::string_view name) {
    SpendLooks(object.IsObject() ? 1 + object.size() : 1);
    return object.Find(name);
  }

  // As Tree's ==, and false once comparisons took all the looks there are for them. They are
  // counted apart: an honest object near what annotations take spends much of the bytes by itself.
  bool Equal(const Tree& a, const Tree& b) { return Tree::Equal(a, b, looks_left_); }
  // All that there is of one of the two is spent: what is not yet done will not be.
  bool GaveUp() const { return Exhausted() || looks_left_ == 0; }

  // Room for so many; not initialised.
  template <typename T>
  T* Room(size_t count) {
    Spend(count * sizeof(T));
    return static_cast<T*>(memory_.allocate(count * sizeof(T), alignof(T)));
  }

 private:
  static constexpr size_t kMostBytes = size_t{64} << 20;
  static constexpr size_t kMostLooks = 8'000'000;

  alignas(std::max_align_t) std::array<std::byte, 16384> buffer_;
  std::pmr::monotonic_buffer_resource memory_;
  std::deque<json::Value> values_;
  std::unordered_map<const void*, Tree> made_;
  size_t spent_ = 0;
  size_t looks_left_ = kMostLooks;
};

// True and false.
Tree Flag(bool value);

}  // namespace hearth::api::conversion::internal
