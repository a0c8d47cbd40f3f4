#pragma once

#include <algorithm>
#include <memory>
#include <string_view>

#include "api/conversion/internal/arena.h"
#include "base/seeded_hash.h"

namespace hearth::api::conversion::internal {

// A growing array in an arena. What it outgrows stays there until the arena goes.
template <typename T>
class Growing {
 public:
  Growing(Arena& arena, size_t capacity)
      : arena_(arena), data_(arena.Room<T>(capacity)), capacity_(capacity) {}

  void Append(const T& item) {
    if (size_ == capacity_) {
      Grow();
    }
    std::construct_at(data_ + size_++, item);
  }
  void EraseAt(size_t index) {
    std::copy(data_ + index + 1, data_ + size_, data_ + index);
    --size_;
  }

  Arena& arena() const { return arena_; }
  T* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void Grow() {
    T* larger = arena_.Room<T>(capacity_ * 2);
    std::uninitialized_copy(data_, data_ + size_, larger);
    data_ = larger;
    capacity_ *= 2;
  }

  Arena& arena_;
  T* data_;
  size_t capacity_;
  size_t size_ = 0;
};

// Makes an object. Names must outlive the arena or come from it. Building comes last: what is done
// to a builder after that shows in what was built.
class ObjectBuilder {
 public:
  explicit ObjectBuilder(Arena& arena, size_t capacity = 8) : members_(arena, capacity) {}
  // Starts with the members of an object; with none when it is none.
  ObjectBuilder(Arena& arena, const Tree& object);

  // For a name that is known not to be there.
  void Add(std::string_view name, const Tree& value) {
    members_.Append({name, value});
    if (places_ != nullptr) {
      places_->emplace(name, members_.size() - 1);
    }
  }
  void Set(std::string_view name, const Tree& value);
  // Sets it unless there is nothing to set.
  void SetIfAny(std::string_view name, const Tree& value);
  void Erase(std::string_view name);
  Tree Find(std::string_view name);

  Arena& arena() const { return members_.arena(); }
  size_t size() const { return members_.size(); }
  Tree Build() const;
  // Nothing instead of an empty object.
  Tree BuildIfAny() const { return size() > 0 ? Build() : Tree(); }

 private:
  using Places = SeededMap<std::string_view, size_t>;

  Tree::Member* Place(std::string_view name);
  Tree::Member* IndexedPlace(std::string_view name);

  Growing<Tree::Member> members_;
  std::unique_ptr<Places> places_;  // once many were looked for among many
  size_t looks_ = 0;
};

// Makes a list. Building comes last.
class ListBuilder {
 public:
  explicit ListBuilder(Arena& arena, size_t capacity = 4) : items_(arena, capacity) {}
  // Starts with the items of a list; with none when it is none.
  ListBuilder(Arena& arena, const Tree& list);

  void Append(const Tree& item) { items_.Append(item); }
  void AppendAll(const Tree& list);
  void Replace(size_t index, const Tree& item) { items_.data()[index] = item; }
  void EraseAt(size_t index) { items_.EraseAt(index); }

  Arena& arena() const { return items_.arena(); }
  size_t size() const { return items_.size(); }
  Tree Build() const;

 private:
  Growing<Tree> items_;
};

}  // namespace hearth::api::conversion::internal
