#include "cel/internal/macro_nodes.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cel/collections.h"
#include "cel/internal/call_cost.h"
#include "cel/internal/list_order.h"
#include "cel/internal/text.h"

namespace hearth::cel::internal {
namespace {

// Costs follow how cel-go spells the macros out: reading the accumulator 1, each operator on it 1.
constexpr uint64_t kResultCost = 1;

Value Failed(const Comprehension& parts, std::string message) {
  return Value::Error(std::move(message)).ErrorAt(parts.offset);
}

// A boolean, or the error it is not.
Value Decide(const Comprehension& parts, const Value& value) {
  return value.Is(Kind::kBool) || value.IsError() ? value : Failed(parts, "no such overload");
}

class MacroNode : public Node {
 public:
  explicit MacroNode(Comprehension parts) : parts_(std::move(parts)) {}

 protected:
  // Binds the variables to one element after the other and calls `visit`, which says whether to go
  // on. Gives null, or the error when there is nothing to walk over.
  template <typename Visit>
  Value Walk(Frame& frame, Visit visit) const {
    const Value range = parts_.range->Eval(frame);
    if (range.Is(Kind::kList)) {
      return WalkList(frame, range.list(), visit);
    }
    if (range.Is(Kind::kMap)) {
      return WalkMap(frame, range.map(), visit);
    }
    return range.IsError() ? range
                           : Failed(parts_, fmt::format("a comprehension needs a list or map, "
                                                        "not {} (no such overload)",
                                                        range.type_name()));
  }

  Value Filter(Frame& frame) const {
    return parts_.filter == nullptr ? Value::Bool(true)
                                    : Decide(parts_, parts_.filter->Eval(frame));
  }

  Comprehension parts_;

 private:
  template <typename Visit>
  Value WalkList(Frame& frame, const List& list, Visit visit) const {
    for (size_t i = 0; i < list.size() && frame.meter.Step(); ++i) {
      if (parts_.two_variables) {
        frame.locals[parts_.slot] = Value::Int(static_cast<int64_t>(i));
      }
      frame.locals[parts_.slot + (parts_.two_variables ? 1 : 0)] = list.at(i);
      if (!visit() || frame.meter.exhausted()) {
        break;
      }
    }
    return {};
  }

  template <typename Visit>
  Value WalkMap(Frame& frame, const Map& map, Visit visit) const {
    for (const Value& key : map.Keys()) {
      frame.locals[parts_.slot] = key;
      if (parts_.two_variables) {
        frame.locals[parts_.slot + 1] = map.Find(key).value_or(Value());
      }
      if (!frame.meter.Step() || !visit() || frame.meter.exhausted()) {
        break;
      }
    }
    return {};
  }
};

// all and exists: `decided` is what ends it early, also beside errors.
class Quantifier final : public MacroNode {
 public:
  Quantifier(Comprehension parts, bool decided, uint64_t test_cost)
      : MacroNode(std::move(parts)), decided_(decided), test_cost_(test_cost) {}

  Value Eval(Frame& frame) const override {
    Value outcome = Value::Bool(!decided_);
    const Value failure = Walk(frame, [&] {
      frame.meter.Charge(test_cost_);
      if (outcome.Is(Kind::kBool) && outcome.boolean() == decided_) {
        return false;
      }
      frame.meter.Charge(1);
      Value next = Decide(parts_, parts_.body->Eval(frame));
      const bool decides = next.Is(Kind::kBool) && next.boolean() == decided_;
      if (decides || (next.IsError() && !outcome.IsError())) {
        outcome = std::move(next);
      }
      return true;
    });
    frame.meter.Charge(kResultCost);
    return failure.IsError() ? failure : outcome;
  }

 private:
  bool decided_;
  uint64_t test_cost_;
};

class ExistsOne final : public MacroNode {
 public:
  using MacroNode::MacroNode;

  Value Eval(Frame& frame) const override {
    constexpr uint64_t kCountCost = 2;
    Value outcome;
    int64_t count = 0;
    const Value failure = Walk(frame, [&] {
      outcome = Decide(parts_, parts_.body->Eval(frame));
      count += outcome.IsTrue() ? 1 : 0;
      frame.meter.Charge(outcome.IsTrue() ? kCountCost : 0);
      return !outcome.IsError();
    });
    frame.meter.Charge(kResultCost + 1);
    if (failure.IsError() || outcome.IsError()) {
      return failure.IsError() ? failure : outcome;
    }
    return Value::Bool(count == 1);
  }
};

// map, filter and transformList: collects the body's values.
class Collect final : public MacroNode {
 public:
  using MacroNode::MacroNode;

  Value Eval(Frame& frame) const override {
    constexpr uint64_t kAppendCost = 2;
    std::vector<Value> items;
    Value outcome;
    frame.meter.Charge(parts_.start_cost);
    const Value failure = Walk(frame, [&] {
      outcome = Filter(frame);
      if (!outcome.IsTrue()) {
        return !outcome.IsError();
      }
      outcome = parts_.body->Eval(frame);
      frame.meter.Charge(parts_.wrap_cost + kAppendCost);
      if (!outcome.IsError()) {
        items.push_back(outcome);
      }
      return !outcome.IsError();
    });
    frame.meter.Charge(kResultCost);
    if (failure.IsError() || outcome.IsError()) {
      return failure.IsError() ? failure : outcome;
    }
    return MakeList(std::move(items));
  }
};

// transformMap keeps the keys, transformMapEntry takes the entries of the maps the body gives.
class TransformMap final : public MacroNode {
 public:
  TransformMap(Comprehension parts, bool entries)
      : MacroNode(std::move(parts)), whole_entries_(entries) {}

  Value Eval(Frame& frame) const override {
    Entries entries;
    Value outcome;
    frame.meter.Charge(parts_.start_cost);
    const Value failure = Walk(frame, [&] {
      outcome = Filter(frame);
      if (outcome.IsTrue()) {
        outcome = Insert(frame, entries);
      }
      return !outcome.IsError();
    });
    frame.meter.Charge(kResultCost);
    if (failure.IsError() || outcome.IsError()) {
      return failure.IsError() ? failure : outcome;
    }
    return MakeMap(std::move(entries));
  }

 private:
  Value Insert(Frame& frame, Entries& entries) const {
    frame.meter.Charge(whole_entries_ ? 2 : 3);
    Value value = parts_.body->Eval(frame);
    if (value.IsError()) {
      return value;
    }
    if (!whole_entries_) {
      return InsertOne(entries, frame.locals[parts_.slot], std::move(value));
    }
    if (!value.Is(Kind::kMap)) {
      return Failed(parts_, "no such overload");
    }
    for (const Value& key : value.map().Keys()) {
      Value failure = InsertOne(entries, key, value.map().Find(key).value_or(Value()));
      if (failure.IsError()) {
        return failure;
      }
    }
    return {};
  }

  Value InsertOne(Entries& entries, const Value& key, Value value) const {
    if (!entries.emplace(key, std::move(value)).second) {
      return Failed(parts_, fmt::format("insert failed: key {} already exists", TextOf(key)));
    }
    return {};
  }

  bool whole_entries_;
};

class SortBy final : public MacroNode {
 public:
  using MacroNode::MacroNode;

  Value Eval(Frame& frame) const override {
    // Each element and key goes through a list of the keys: bound name, list, append.
    constexpr uint64_t kKeyCost = kListCost + 2;
    std::vector<Value> items;
    std::vector<Value> keys;
    Value outcome;
    const Value failure = Walk(frame, [&] {
      outcome = parts_.body->Eval(frame);
      frame.meter.Charge(kKeyCost);
      items.push_back(frame.locals[parts_.slot]);
      keys.push_back(outcome);
      return !outcome.IsError();
    });
    if (failure.IsError() || outcome.IsError() || frame.meter.exhausted()) {
      return failure.IsError() ? failure : outcome.IsError() ? outcome : Value::Error("");
    }
    const Value args[] = {Value(), MakeList(keys)};
    frame.meter.Charge(kResultCost + 2 + parts_.start_cost);
    if (!frame.meter.Charge(CallCost(CostRule::kSortBy, args, {}))) {
      return Value::Error("");
    }
    Value sorted = SortByKeys(std::move(items), keys);
    return sorted.IsError() ? sorted.ErrorAt(parts_.offset) : sorted;
  }
};

// optMap and optFlatMap: the body on what is in the optional, if anything is.
class OptionalMap final : public MacroNode {
 public:
  OptionalMap(Comprehension parts, bool flat) : MacroNode(std::move(parts)), flat_(flat) {}

  Value Eval(Frame& frame) const override {
    const uint64_t before = frame.meter.used();
    Value target = parts_.range->Eval(frame);
    const uint64_t target_cost = frame.meter.used() - before;
    if (!target.Is(Kind::kOptional)) {
      return target.IsError() ? target : Failed(parts_, "no such overload");
    }
    frame.meter.Charge(2);  // hasValue() and optional.none(), or hasValue() and value()
    if (target.optional() == nullptr) {
      return target;
    }
    // cel-go evaluates the target once more for value().
    frame.meter.Charge(target_cost + parts_.start_cost + (flat_ ? 0 : 1));
    frame.locals[parts_.slot] = *target.optional();
    Value value = parts_.body->Eval(frame);
    if (value.IsError()) {
      return value;
    }
    if (!flat_) {
      return Value::Optional(std::move(value));
    }
    return value.Is(Kind::kOptional) ? value : Failed(parts_, "no such overload");
  }

 private:
  bool flat_;
};

}  // namespace

NodePtr MakeMacro(std::string_view meaning, Comprehension parts) {
  if (meaning == "all") {
    return std::make_unique<Quantifier>(std::move(parts), false, 2);
  }
  if (meaning == "exists") {
    return std::make_unique<Quantifier>(std::move(parts), true, 3);
  }
  if (meaning == "exists_one") {
    return std::make_unique<ExistsOne>(std::move(parts));
  }
  if (meaning == "map" || meaning == "filter") {
    return std::make_unique<Collect>(std::move(parts));
  }
  if (meaning == "transformMap" || meaning == "transformMapEntry") {
    return std::make_unique<TransformMap>(std::move(parts), meaning == "transformMapEntry");
  }
  if (meaning == "sortBy") {
    return std::make_unique<SortBy>(std::move(parts));
  }
  if (meaning == "optMap" || meaning == "optFlatMap") {
    return std::make_unique<OptionalMap>(std::move(parts), meaning == "optFlatMap");
  }
  return nullptr;
}

}  // namespace hearth::cel::internal
