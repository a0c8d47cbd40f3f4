// The list extension of cel-go, version 3.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "cel/collections.h"
#include "cel/internal/function.h"
#include "cel/internal/list_order.h"
#include "cel/internal/meter.h"
#include "cel/internal/operators.h"

namespace hearth::cel::internal {
namespace {

std::vector<Value> ItemsOf(const List& list) {
  std::vector<Value> items;
  for (size_t i = 0; i < list.size() && CountSteps(); ++i) {
    items.push_back(list.at(i));
  }
  return items;
}

Value Range(const Call& call) {
  const int64_t count = std::max<int64_t>(call[0].integer(), 0);
  if (!CountSteps(static_cast<uint64_t>(count))) {
    return Value::Error("");
  }
  std::vector<Value> items;
  for (int64_t i = 0; i < count; ++i) {
    items.push_back(Value::Int(i));
  }
  return MakeList(std::move(items));
}

Value Slice(const Call& call) {
  const List& list = call[0].list();
  const int64_t start = call[1].integer();
  const int64_t end = call[2].integer();
  const auto fail = [&](std::string_view why) {
    return Value::Error(fmt::format("cannot slice({}, {}), {}", start, end, why));
  };
  if (start < 0 || end < 0) {
    return fail("negative indexes not supported");
  }
  if (start > end) {
    return fail("start index must be less than or equal to end index");
  }
  if (end > static_cast<int64_t>(list.size())) {
    return fail(fmt::format("list is length {}", list.size()));
  }
  std::vector<Value> items;
  for (int64_t i = start; i < end && CountSteps(); ++i) {
    items.push_back(list.at(static_cast<size_t>(i)));
  }
  return MakeList(std::move(items));
}

void FlattenInto(const List& list, int64_t depth, std::vector<Value>& out) {
  for (size_t i = 0; i < list.size() && CountSteps(); ++i) {
    Value item = list.at(i);
    if (depth > 0 && item.Is(Kind::kList)) {
      FlattenInto(item.list(), depth - 1, out);
    } else {
      out.push_back(std::move(item));
    }
  }
}

Value Flatten(const Call& call) {
  const int64_t depth = call.args.size() == 2 ? call[1].integer() : 1;
  if (depth < 0) {
    return Value::Error("level must be non-negative");
  }
  std::vector<Value> items;
  FlattenInto(call[0].list(), depth, items);
  return MakeList(std::move(items));
}

Value ReverseList(const Call& call) {
  auto items = ItemsOf(call[0].list());
  std::reverse(items.begin(), items.end());
  return MakeList(std::move(items));
}

Value Distinct(const Call& call) {
  std::vector<Value> unique;
  for (Value& item : ItemsOf(call[0].list())) {
    const bool seen = std::any_of(unique.begin(), unique.end(),
                                  [&](const Value& other) { return Equal(item, other); });
    if (!seen) {
      unique.push_back(std::move(item));
    }
  }
  return MakeList(std::move(unique));
}

Value Sort(const Call& call) {
  auto items = ItemsOf(call[0].list());
  const auto keys = items;
  return SortByKeys(std::move(items), keys);
}

constexpr auto kMember = Style::kMember;
constexpr auto kList = Kind::kList;
const Overload kFunctions[] = {
    {"lists.range", Style::kGlobal, {Kind::kInt}, Range, CostRule::kNewList},
    {"slice", kMember, {kList, Kind::kInt, Kind::kInt}, Slice, CostRule::kNewList},
    {"flatten", kMember, {kList}, Flatten, CostRule::kFlatten},
    {"flatten", kMember, {kList, Kind::kInt}, Flatten, CostRule::kFlatten},
    {"reverse", kMember, {kList}, ReverseList, CostRule::kNewList},
    {"distinct", kMember, {kList}, Distinct, CostRule::kSort},
    {"sort", kMember, {kList}, Sort, CostRule::kSort},
};

}  // namespace

Value SortByKeys(std::vector<Value> items, const std::vector<Value>& keys) {
  const auto unlike = [&](const Value& key) { return key.kind() != keys.front().kind(); };
  if (!keys.empty() && !Compare(keys.front(), keys.front()).has_value()) {
    return Value::Error("list elements must be comparable");
  }
  if (std::any_of(keys.begin(), keys.end(), unlike)) {
    return Value::Error("list elements must have the same type");
  }
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return Compare(keys[a], keys[b]) == std::partial_ordering::less;
  });
  std::vector<Value> sorted;
  sorted.reserve(items.size());
  for (const size_t i : order) {
    sorted.push_back(items[i]);
  }
  return MakeList(std::move(sorted));
}

Overloads ListFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal
