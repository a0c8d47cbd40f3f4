#include "cel/internal/call_nodes.h"

#include <array>
#include <span>
#include <utility>

#include "cel/internal/call_cost.h"

namespace hearth::cel::internal {
namespace {

uint64_t OneCost(const Value&, const Value&) { return 1; }
uint64_t EqualityCost(const Value& a, const Value& b) { return CompareCost(a, b, true); }
uint64_t OrderCost(const Value& a, const Value& b) { return CompareCost(a, b, false); }
uint64_t InCost(const Value&, const Value& b) { return MembershipCost(b); }

using OperatorCost = uint64_t (*)(const Value&, const Value&);

OperatorCost FindOperatorCost(std::string_view symbol) {
  if (symbol == "+") {
    return AddCost;
  }
  if (symbol == "==" || symbol == "!=") {
    return EqualityCost;
  }
  if (symbol.front() == '<' || symbol.front() == '>') {
    return OrderCost;
  }
  return symbol == "in" ? InCost : OneCost;
}

class UnaryNode final : public Node {
 public:
  UnaryNode(Value (*operation)(const Value&), NodePtr operand, size_t offset)
      : operation_(operation), operand_(std::move(operand)), offset_(offset) {}

  Value Eval(Frame& frame) const override {
    Value operand = operand_->Eval(frame);
    frame.meter.Charge(1);
    if (operand.IsError()) {
      return operand;
    }
    Value value = operation_(operand);
    return value.IsError() ? value.ErrorAt(offset_) : value;
  }

 private:
  Value (*operation_)(const Value&);
  NodePtr operand_;
  size_t offset_;
};

class BinaryNode final : public Node {
 public:
  BinaryNode(BinaryOperator operation, OperatorCost cost, NodePtr left, NodePtr right,
             size_t offset)
      : operation_(operation),
        cost_(cost),
        left_(std::move(left)),
        right_(std::move(right)),
        offset_(offset) {}

  // Charged before the work is done, so that work beyond the limit is not.
  Value Eval(Frame& frame) const override {
    const Value left = left_->Eval(frame);
    Value right = right_->Eval(frame);
    if (!frame.meter.Charge(cost_(left, right)) || left.IsError()) {
      return left.IsError() ? left : Value::Error("");
    }
    if (right.IsError()) {
      return right;
    }
    Value value = operation_(left, right);
    return value.IsError() ? value.ErrorAt(offset_) : value;
  }

 private:
  BinaryOperator operation_;
  OperatorCost cost_;
  NodePtr left_;
  NodePtr right_;
  size_t offset_;
};

class FreeMembership final : public Node {
 public:
  FreeMembership(NodePtr item, Value list) : item_(std::move(item)), list_(std::move(list)) {}

  Value Eval(Frame& frame) const override {
    Value item = item_->Eval(frame);
    return item.IsError() ? item : In(item, list_);
  }

 private:
  NodePtr item_;
  Value list_;
};

class CallNode final : public Node {
 public:
  CallNode(std::vector<const Overload*> overloads, NodePtrs args,
           std::shared_ptr<const Regex> regex, size_t offset)
      : overloads_(std::move(overloads)),
        args_(std::move(args)),
        regex_(std::move(regex)),
        offset_(offset) {}

  Value Eval(Frame& frame) const override {
    std::array<Value, Kinds::kMax> values;
    for (size_t i = 0; i < args_.size(); ++i) {
      values[i] = args_[i]->Eval(frame);
      if (values[i].IsError()) {
        return values[i];
      }
    }
    const std::span<const Value> args(values.data(), args_.size());
    for (const Overload* overload : overloads_) {
      if (Accepts(*overload, args)) {
        return Run(frame, *overload, args);
      }
    }
    return Value::Error(NoSuchOverload(overloads_.front()->name, args)).ErrorAt(offset_);
  }

 private:
  Value Run(Frame& frame, const Overload& overload, std::span<const Value> args) const {
    const bool late = CostNeedsResult(overload.cost);
    if (!late && !frame.meter.Charge(CallCost(overload.cost, args, {}))) {
      return Value::Error("");
    }
    Value value = overload.body({args, regex_.get()});
    if (late) {
      frame.meter.Charge(CallCost(overload.cost, args, value));
    }
    return value.IsError() ? value.ErrorAt(offset_) : value;
  }

  std::vector<const Overload*> overloads_;
  NodePtrs args_;
  std::shared_ptr<const Regex> regex_;  // shared with nobody else; Regex hands it out so
  size_t offset_;
};

}  // namespace

NodePtr MakeUnary(Value (*operation)(const Value&), NodePtr operand, size_t offset) {
  return std::make_unique<UnaryNode>(operation, std::move(operand), offset);
}

NodePtr MakeBinary(std::string_view symbol, NodePtr left, NodePtr right, size_t offset) {
  return std::make_unique<BinaryNode>(FindBinaryOperator(symbol), FindOperatorCost(symbol),
                                      std::move(left), std::move(right), offset);
}

NodePtr MakeFreeMembership(NodePtr item, Value list) {
  return std::make_unique<FreeMembership>(std::move(item), std::move(list));
}

NodePtr MakeCall(std::vector<const Overload*> overloads, NodePtrs args,
                 std::shared_ptr<const Regex> regex, size_t offset) {
  return std::make_unique<CallNode>(std::move(overloads), std::move(args), std::move(regex),
                                    offset);
}

}  // namespace hearth::cel::internal
