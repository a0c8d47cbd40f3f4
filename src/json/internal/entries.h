#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "json/view.h"

namespace hearth::json::internal {

// A member of an object under its name, or an element of an array under its key. Borrows both.
struct Entry {
  std::string_view name;
  View value;
};
using EntryStack = std::vector<Entry>;

// The entries of one object or array, sorted by name. They live on a stack that a whole walk
// shares, so that it allocates only while that grows. Only the newest Entries of a stack may
// change, and they go in the reverse order of their coming.
class Entries {
 public:
  explicit Entries(EntryStack& stack) : stack_(stack), begin_(stack.size()) {}
  ~Entries() { stack_.resize(begin_); }
  Entries(const Entries&) = delete;
  Entries& operator=(const Entries&) = delete;

  void Add(std::string_view name, View value) {
    stack_.push_back({name, value});
    ++size_;
  }
  // Of one name the last stays, as it stood in the text.
  void SortAndDropRepeated();
  // False when a name repeats.
  bool SortUnique();
  template <typename Condition>
  void EraseIf(Condition condition) {
    stack_.erase(std::remove_if(begin(), stack_.end(), condition), stack_.end());
    size_ = stack_.size() - begin_;
  }

  size_t size() const { return size_; }
  // A copy: the stack moves when it grows.
  Entry operator[](size_t i) const { return stack_[begin_ + i]; }

 private:
  EntryStack::iterator begin() { return stack_.begin() + static_cast<ptrdiff_t>(begin_); }
  void Sort();

  EntryStack& stack_;
  size_t begin_;
  size_t size_ = 0;
};

}  // namespace hearth::json::internal
