#include "http/internal/body_budget.h"

#include <algorithm>

namespace hearth::http {

bool BodyBudget::Take(uint64_t bytes) {
  uint64_t taken = taken_;
  do {
    if (bytes > most_ - std::min(taken, most_)) {
      return false;
    }
  } while (!taken_.compare_exchange_weak(taken, taken + bytes));
  return true;
}

bool BodyBudget::Share::Grow(uint64_t bytes) {
  const uint64_t wanted = std::max(length_ + bytes, kFreeBytes) - kFreeBytes;
  if (!budget_->Take(wanted - taken_)) {
    return false;
  }
  length_ += bytes;
  taken_ = wanted;
  return true;
}

}  // namespace hearth::http
