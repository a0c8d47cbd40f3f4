// Whether two trees say the same, and what it takes to find out.
#include <bit>
#include <limits>
#include <vector>

#include "api/conversion/internal/tree.h"

namespace hearth::api::conversion::internal {
namespace {

using json::Kind;

bool SameNames(const Tree& a, const Tree& b) {
  const size_t size = a.size();
  for (size_t i = 0; i < size; ++i) {
    if (a.name(i) != b.name(i)) {
      return false;
    }
  }
  return true;
}

size_t ScalarLooks(const Tree& scalar) {
  const size_t bytes =
      scalar.kind() == Kind::kNumber ? scalar.scalar().number().size() : scalar.text().size();
  return bytes / kBytesPerLook;
}

class Comparison {
 public:
  explicit Comparison(size_t& looks) : looks_(looks) {}

  bool Equal(const Tree& a, const Tree& b) {
    if (Tree::Same(a, b)) {
      return true;
    }
    const Kind kind = a.kind();
    if (!Spend(1) || kind != b.kind() || a.size() != b.size()) {
      return false;
    }
    if (kind == Kind::kObject) {
      return EqualMembers(a, b);
    }
    if (kind == Kind::kArray) {
      return Spend(a.size()) && EqualChildren(a, b);
    }
    return Spend(ScalarLooks(a)) && a.scalar() == b.scalar();
  }

 private:
  bool Spend(size_t looks) {
    const bool enough = looks < looks_;
    looks_ = enough ? looks_ - looks : 0;
    return enough;
  }

  bool EqualChildren(const Tree& a, const Tree& b) {
    const size_t size = a.size();
    for (size_t i = 0; i < size; ++i) {
      if (!Equal(a.at(i), b.at(i))) {
        return false;
      }
    }
    return true;
  }

  // Which members belong together is decided by names alone, so that each is compared once.
  bool EqualMembers(const Tree& a, const Tree& b) {
    constexpr size_t kFew = 32;
    const size_t names = NameLooks(a);
    if (!Spend(names)) {
      return false;
    }
    if (SameNames(a, b)) {
      return EqualChildren(a, b);
    }
    if (a.size() <= kFew) {
      return Spend(names * a.size() / 4) && EqualFoundMembers(a, b);  // most names differ at once
    }
    return Spend(names * std::bit_width(a.size())) && EqualSortedMembers(a, b);
  }

  // For few members: looking for each costs less than sorting.
  bool EqualFoundMembers(const Tree& a, const Tree& b) {
    const size_t size = a.size();
    for (size_t i = 0; i < size; ++i) {
      const Tree other = b.Find(a.name(i));
      if (!other.Exists() || !Equal(a.at(i), other)) {
        return false;
      }
    }
    return true;
  }

  bool EqualSortedMembers(const Tree& a, const Tree& b) {
    const std::vector<size_t> order_a = SortedByName(a);
    const std::vector<size_t> order_b = SortedByName(b);
    for (size_t i = 0; i < a.size(); ++i) {
      if (a.name(order_a[i]) != b.name(order_b[i]) || !Equal(a.at(order_a[i]), b.at(order_b[i]))) {
        return false;
      }
    }
    return true;
  }

  size_t& looks_;
};

}  // namespace

bool Tree::Equal(const Tree& a, const Tree& b, size_t& looks) {
  return Comparison(looks).Equal(a, b);
}

bool operator==(const Tree& a, const Tree& b) {
  size_t looks = std::numeric_limits<size_t>::max();
  return Tree::Equal(a, b, looks);
}

}  // namespace hearth::api::conversion::internal
