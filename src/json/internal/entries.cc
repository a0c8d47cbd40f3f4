#include "json/internal/entries.h"

namespace hearth::json::internal {

// Equal names in the order of the text they borrow; a stable sort would allocate.
void Entries::Sort() {
  std::sort(begin(), stack_.end(), [](const Entry& a, const Entry& b) {
    const int order = a.name.compare(b.name);
    return order < 0 || (order == 0 && a.value.raw().data() < b.value.raw().data());
  });
}

void Entries::SortAndDropRepeated() {
  Sort();
  size_t kept = begin_;
  for (size_t i = begin_; i < stack_.size(); ++i) {
    if (kept > begin_ && stack_[kept - 1].name == stack_[i].name) {
      --kept;
    }
    stack_[kept++] = stack_[i];
  }
  stack_.resize(kept);
  size_ = kept - begin_;
}

bool Entries::SortUnique() {
  Sort();
  return std::adjacent_find(begin(), stack_.end(), [](const Entry& a, const Entry& b) {
           return a.name == b.name;
         }) == stack_.end();
}

}  // namespace hearth::json::internal
