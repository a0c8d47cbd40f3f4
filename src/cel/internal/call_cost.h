#pragma once

#include <cstdint>
#include <span>

#include "cel/value.h"

namespace hearth::cel::internal {

constexpr uint64_t kListCost = 10;  // to create one
constexpr uint64_t kMapCost = 30;

// What a call costs, by the rules of cel-go and of Kubernetes' own estimator.
enum class CostRule : uint8_t {
  kOne,
  kText,       // a tenth of the first argument's size
  kTextTwice,  // two tenths: walked over and built
  kJoin,       // two tenths of the result's size
  kWalk,       // every leaf of the first argument once
  kSearch,     // text times text
  kPattern,    // text times pattern
  kContainsIp,
  kContainsIpText,
  kContainsCidr,
  kContainsCidrText,
  kValidate,  // text times the format's pattern
  kPairs,     // every element with every other one's
  kPairsTwice,
  kNewList,  // the result's size
  kFlatten,
  kSort,    // the square of the first argument's size
  kSortBy,  // the square of the second argument's size
};

// `result` counts only for kJoin and kNewList; for all others the cost is known before the call.
bool CostNeedsResult(CostRule rule);
uint64_t CallCost(CostRule rule, std::span<const Value> args, const Value& result);

// Of ==, !=, <, <=, > and >=; of +; and of `in`.
uint64_t CompareCost(const Value& a, const Value& b, bool equality);
uint64_t AddCost(const Value& a, const Value& b);
uint64_t MembershipCost(const Value& container);

// Code points of a string, bytes, elements, entries, fields; 1 for everything else.
uint64_t CostSize(const Value& value);

}  // namespace hearth::cel::internal
