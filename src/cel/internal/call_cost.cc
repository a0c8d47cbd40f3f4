#include "cel/internal/call_cost.h"

#include <algorithm>
#include <cmath>

#include "cel/collections.h"
#include "cel/internal/format_rules.h"
#include "cel/internal/meter.h"
#include "cel/internal/utf8.h"
#include "cel/opaque.h"

namespace hearth::cel::internal {
namespace {

constexpr double kTextFactor = 0.1;
constexpr double kPatternFactor = 0.25;
constexpr uint64_t kCallCost = 1;

uint64_t Part(uint64_t size, double factor) {
  return static_cast<uint64_t>(std::ceil(static_cast<double>(size) * factor));
}

uint64_t Text(const Value& value) { return Part(CostSize(value), kTextFactor); }

// A length times a length, one more than the text so that an empty one is not free.
uint64_t PatternCost(const Value& text, uint64_t pattern_size) {
  return Part(CostSize(text) + 1, kTextFactor) * Part(pattern_size, kPatternFactor);
}

uint64_t WalkCost(const Value& value);

uint64_t WalkList(const List& list) {
  uint64_t cost = 0;
  for (size_t i = 0; i < list.size() && CountSteps(); ++i) {
    cost += WalkCost(list.at(i));
  }
  return cost;
}

uint64_t WalkMap(const Map& map) {
  uint64_t cost = 0;
  for (const Value& key : map.Keys()) {
    const auto value = map.Find(key);
    cost += WalkCost(key) + (value.has_value() && CountSteps() ? WalkCost(*value) : 0);
  }
  return cost;
}

uint64_t WalkCost(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
    case Kind::kBytes:
      return static_cast<uint64_t>(static_cast<double>(value.text().size()) * kTextFactor);
    case Kind::kList:
      return WalkList(value.list());
    case Kind::kMap:
      return WalkMap(value.map());
    default:
      return 1;
  }
}

uint64_t NewListCost(uint64_t size, double factor) {
  return static_cast<uint64_t>(static_cast<double>(size) * factor) + kCallCost + kListCost;
}

uint64_t SelfCompareCost(const Value& list) {
  const uint64_t size = CostSize(list);
  double factor = 2.0;
  if (list.Is(Kind::kList) && size > 0) {
    const Kind first = list.list().at(0).kind();
    factor += first == Kind::kString || first == Kind::kBytes ? kTextFactor : 0;
  }
  return NewListCost(size * size, factor);
}

uint64_t FlattenCost(std::span<const Value> args) {
  const int64_t depth = args.size() == 2 && args[1].Is(Kind::kInt) ? args[1].integer() : 1;
  return NewListCost(CostSize(args[0]),
                     static_cast<double>(std::clamp<int64_t>(depth, 0, 1 << 20)));
}

uint64_t ContainsIpCost(const Value& cidr) { return Part(2 * CostSize(cidr), kTextFactor); }

uint64_t ContainsCidrCost(const Value& cidr) { return ContainsIpCost(cidr) + Text(cidr) + 1; }

}  // namespace

uint64_t CostSize(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
      return CountCodePoints(value.text());
    case Kind::kBytes:
      return value.text().size();
    case Kind::kList:
      return value.list().size();
    case Kind::kMap:
      return value.map().size();
    case Kind::kObject:
      return value.object().size();
    case Kind::kIp:
    case Kind::kCidr:
      return value.opaque().size();
    default:
      return 1;
  }
}

bool CostNeedsResult(CostRule rule) {
  return rule == CostRule::kJoin || rule == CostRule::kNewList;
}

uint64_t CallCost(CostRule rule, std::span<const Value> args, const Value& result) {
  switch (rule) {
    case CostRule::kOne:
      return kCallCost;
    case CostRule::kText:
      return Text(args[0]);
    case CostRule::kTextTwice:
      return Part(CostSize(args[0]), 2 * kTextFactor);
    case CostRule::kJoin:
      return Part(CostSize(result), 2 * kTextFactor);
    case CostRule::kWalk:
      return WalkCost(args[0]);
    case CostRule::kSearch:
      return Text(args[0]) * Text(args[1]);
    case CostRule::kPattern:
      return PatternCost(args[0], CostSize(args[1]));
    case CostRule::kContainsIp:
      return ContainsIpCost(args[0]);
    case CostRule::kContainsIpText:
      return ContainsIpCost(args[0]) + Text(args[1]);
    case CostRule::kContainsCidr:
      return ContainsCidrCost(args[0]);
    case CostRule::kContainsCidrText:
      return ContainsCidrCost(args[0]) + Text(args[1]);
    case CostRule::kValidate:
      return PatternCost(args[1], FormatPatternSize(args[0]));
    case CostRule::kPairs:
      return kCallCost + CostSize(args[0]) * CostSize(args[1]);
    case CostRule::kPairsTwice:
      return kCallCost + 2 * CostSize(args[0]) * CostSize(args[1]);
    case CostRule::kNewList:
      return NewListCost(CostSize(result), 1);
    case CostRule::kFlatten:
      return FlattenCost(args);
    case CostRule::kSort:
      return SelfCompareCost(args[0]);
    case CostRule::kSortBy:
      return SelfCompareCost(args[1]);
  }
  return kCallCost;
}

uint64_t CompareCost(const Value& a, const Value& b, bool equality) {
  const bool text = a.Is(Kind::kString) || a.Is(Kind::kBytes);
  if (a.kind() >= Kind::kUrl || (!equality && !text)) {
    return kCallCost;
  }
  return Part(std::min(CostSize(a), CostSize(b)), kTextFactor);
}

uint64_t AddCost(const Value& a, const Value& b) {
  const bool text = a.Is(Kind::kString) || a.Is(Kind::kBytes);
  return text ? Part(CostSize(a) + CostSize(b), kTextFactor) : kCallCost;
}

uint64_t MembershipCost(const Value& container) {
  return container.Is(Kind::kList) ? container.list().size() : kCallCost;
}

}  // namespace hearth::cel::internal
