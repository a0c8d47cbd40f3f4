#include "cel/collections.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <utility>

#include "cel/internal/meter.h"
#include "cel/internal/numbers.h"
#include "cel/opaque.h"

namespace hearth::cel {
namespace {

// Beyond this a list is not the result of an honest rule; l + l doubles at no cost.
constexpr size_t kMaxListSize = 1 << 20;

class ValueList final : public List {
 public:
  explicit ValueList(std::vector<Value> items) : items_(std::move(items)) {}
  size_t size() const override { return items_.size(); }
  Value at(size_t index) const override { return items_[index]; }

 private:
  std::vector<Value> items_;
};

// Lists one after the other, none of them copied.
class JoinedList final : public List {
 public:
  JoinedList(const Value& first, const Value& second) {
    if (const auto* joined = dynamic_cast<const JoinedList*>(&first.list())) {
      parts_ = joined->parts_;
      ends_ = joined->ends_;
    } else {
      Append(first);
    }
    Append(second);
  }
  size_t size() const override { return ends_.back(); }
  Value at(size_t index) const override {
    const size_t part = std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin();
    return parts_[part].list().at(index - (part == 0 ? 0 : ends_[part - 1]));
  }

 private:
  void Append(const Value& list) {
    parts_.push_back(list);
    ends_.push_back((ends_.empty() ? 0 : ends_.back()) + list.list().size());
  }

  std::vector<Value> parts_;
  std::vector<size_t> ends_;  // of each part, counted from the start
};

class ValueMap final : public Map {
 public:
  explicit ValueMap(Entries entries) : entries_(std::move(entries)) {}
  size_t size() const override { return entries_.size(); }
  std::optional<Value> Find(const Value& key) const override {
    // NaN is no key, and has no place in the order.
    const bool possible = IsMapKey(key) || (key.Is(Kind::kDouble) && key.real() == key.real());
    const auto found = possible ? entries_.find(key) : entries_.end();
    return found == entries_.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<Value> Keys() const override {
    std::vector<Value> keys;
    keys.reserve(entries_.size());
    for (const auto& entry : entries_) {
      keys.push_back(entry.first);
    }
    return keys;
  }

 private:
  Entries entries_;
};

bool EqualOptionals(const Value* a, const Value* b) {
  return a == nullptr || b == nullptr ? a == b : Equal(*a, *b);
}

bool EqualSameKind(const Value& a, const Value& b) {
  switch (a.kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return a.boolean() == b.boolean();
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kType:
      return internal::CountSteps(a.text().size() / 64) && a.text() == b.text();
    case Kind::kList:
      return a.list().Equals(b.list());
    case Kind::kMap:
      return a.map().Equals(b.map());
    case Kind::kObject:
      return a.object().Equals(b.object());
    case Kind::kDuration:
      return a.duration() == b.duration();
    case Kind::kTimestamp:
      return a.timestamp() == b.timestamp();
    case Kind::kOptional:
      return EqualOptionals(a.optional(), b.optional());
    case Kind::kError:
      return false;
    default:
      return a.opaque().Equals(b.opaque());
  }
}

int KeyRank(const Value& key) { return key.Is(Kind::kBool) ? 0 : key.IsNumber() ? 1 : 2; }

}  // namespace

bool Equal(const Value& a, const Value& b) {
  if (!internal::CountSteps()) {
    return false;
  }
  if (a.IsNumber() && b.IsNumber()) {
    return std::is_eq(internal::CompareNumbers(a, b));
  }
  return a.kind() == b.kind() && EqualSameKind(a, b);
}

bool List::Equals(const List& other) const {
  const size_t count = size();
  if (count != other.size()) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!Equal(at(i), other.at(i))) {
      return false;
    }
  }
  return true;
}

Value List::Concat(const Value& self, const Value& other) const {
  const size_t mine = size();
  const size_t theirs = other.list().size();
  if (mine == 0 || theirs == 0) {
    return mine == 0 ? other : self;
  }
  if (mine + theirs > kMaxListSize) {
    return Value::Error("list is too large");
  }
  return Value::OfList(std::make_shared<JoinedList>(self, other));
}

bool Map::Equals(const Map& other) const {
  if (size() != other.size()) {
    return false;
  }
  const auto keys = Keys();
  return std::all_of(keys.begin(), keys.end(), [&](const Value& key) {
    const auto mine = Find(key);
    const auto theirs = other.Find(key);
    return mine.has_value() && theirs.has_value() && Equal(*mine, *theirs);
  });
}

bool IsMapKey(const Value& value) {
  return value.Is(Kind::kBool) || value.Is(Kind::kInt) || value.Is(Kind::kUint) ||
         value.Is(Kind::kString);
}

bool KeyLess::operator()(const Value& a, const Value& b) const {
  const int rank = KeyRank(a);
  if (rank != KeyRank(b)) {
    return rank < KeyRank(b);
  }
  if (rank == 0) {
    return a.boolean() < b.boolean();
  }
  return rank == 1 ? std::is_lt(internal::CompareNumbers(a, b)) : a.text() < b.text();
}

Value MakeList(std::vector<Value> items) {
  return Value::OfList(std::make_shared<ValueList>(std::move(items)));
}

Value MakeMap(Entries entries) {
  return Value::OfMap(std::make_shared<ValueMap>(std::move(entries)));
}

}  // namespace hearth::cel
