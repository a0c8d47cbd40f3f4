#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "cel/collections.h"
#include "cel/internal/node.h"
#include "cel/internal/numbers.h"
#include "cel/internal/text.h"

namespace hearth::cel::internal {
namespace {

class Constant final : public Node {
 public:
  explicit Constant(Value value) : value_(std::move(value)) {}
  Value Eval(Frame&) const override { return value_; }
  const Value* constant() const override { return &value_; }

 private:
  Value value_;
};

class VariableNode final : public Node {
 public:
  VariableNode(size_t index, uint64_t cost) : index_(index), cost_(cost) {}
  Value Eval(Frame& frame) const override {
    frame.meter.Charge(cost_);
    return frame.variables[index_];
  }

 private:
  size_t index_;
  uint64_t cost_;
};

class LocalNode final : public Node {
 public:
  LocalNode(size_t slot, uint64_t cost) : slot_(slot), cost_(cost) {}
  Value Eval(Frame& frame) const override {
    frame.meter.Charge(cost_);
    return frame.locals[slot_];
  }

 private:
  size_t slot_;
  uint64_t cost_;
};

// What was found: a value, nothing, or (as an error value) why there can be none.
using Found = std::optional<Value>;

Found FindField(const Value& target, const Value& name) {
  if (target.Is(Kind::kMap)) {
    return target.map().Find(name);
  }
  if (target.Is(Kind::kObject)) {
    const Object& object = target.object();
    if (object.Has(name.text()) == Object::Field::kUndeclared) {
      return Value::Error(fmt::format("undefined field '{}'", name.text()));
    }
    return object.Find(name.text());
  }
  return Value::Error("no such overload: select '" + std::string(name.text()) + "' from " +
                      std::string(target.type_name()));
}

Found FindItem(const List& list, const Value& index) {
  if (!index.IsNumber()) {
    return Value::Error(fmt::format("unsupported index type '{}' in list", index.type_name()));
  }
  const auto position = ExactInt(index);
  if (!position.has_value() && index.Is(Kind::kDouble)) {
    return Value::Error(fmt::format("unsupported index value {} in list", TextOf(index)));
  }
  if (!position.has_value() || *position < 0 || static_cast<size_t>(*position) >= list.size()) {
    return std::nullopt;
  }
  return list.at(static_cast<size_t>(*position));
}

Found FindElement(const Value& target, const Value& key) {
  if (target.Is(Kind::kList)) {
    return FindItem(target.list(), key);
  }
  if (target.Is(Kind::kMap)) {
    return target.map().Find(key);
  }
  return Value::Error(fmt::format("no such overload: {}[{}]", target.type_name(), key.type_name()));
}

std::string Missing(const Value& target, const Value& key) {
  return (target.Is(Kind::kList) ? "index out of bounds: " : "no such key: ") + TextOf(key);
}

Value OptionalOf(Found found) {
  if (!found.has_value()) {
    return Value::None();
  }
  return found->IsError() ? *found : Value::Optional(*std::move(found));
}

// One step of an access path: target, then key. A step from an optional value stays optional.
template <Found (*find)(const Value&, const Value&)>
Value Step(Frame& frame, const Value& target, const Value& key, bool optional, uint64_t cost) {
  if (target.IsError()) {
    return target;
  }
  if (target.Is(Kind::kOptional)) {
    const Value* inner = target.optional();
    return inner == nullptr ? target : Step<find>(frame, *inner, key, true, cost);
  }
  Found found = find(target, key);
  if (optional) {
    frame.meter.Charge(found.has_value() ? cost : 0);
    return OptionalOf(std::move(found));
  }
  frame.meter.Charge(cost);
  return found.has_value() ? *std::move(found) : Value::Error(Missing(target, key));
}

class Select final : public Node {
 public:
  Select(NodePtr target, Value name, bool optional, AccessCost cost, size_t offset)
      : target_(std::move(target)),
        name_(std::move(name)),
        optional_(optional),
        cost_(cost),
        offset_(offset) {}

  Value Eval(Frame& frame) const override {
    const Value target = target_->Eval(frame);
    frame.meter.Charge(cost_.root);
    Value value = Step<FindField>(frame, target, name_, optional_, cost_.qualifier);
    return value.IsError() ? value.ErrorAt(offset_) : value;
  }

 private:
  NodePtr target_;
  Value name_;
  bool optional_;
  AccessCost cost_;
  size_t offset_;
};

class IndexNode final : public Node {
 public:
  IndexNode(NodePtr target, NodePtr key, bool optional, AccessCost cost, size_t offset)
      : target_(std::move(target)),
        key_(std::move(key)),
        optional_(optional),
        cost_(cost),
        offset_(offset) {}

  Value Eval(Frame& frame) const override {
    Value target = target_->Eval(frame);
    if (target.IsError()) {
      return target;
    }
    Value key = key_->Eval(frame);
    if (key.IsError()) {
      return key;
    }
    frame.meter.Charge(cost_.root);
    Value value = Step<FindElement>(frame, target, key, optional_, cost_.qualifier);
    return value.IsError() ? value.ErrorAt(offset_) : value;
  }

 private:
  NodePtr target_;
  NodePtr key_;
  bool optional_;
  AccessCost cost_;
  size_t offset_;
};

class Has final : public Node {
 public:
  Has(NodePtr target, Value name, AccessCost cost, size_t offset)
      : target_(std::move(target)), name_(std::move(name)), cost_(cost), offset_(offset) {}

  Value Eval(Frame& frame) const override {
    Value target = target_->Eval(frame);
    frame.meter.Charge(cost_.root + cost_.qualifier);
    if (target.Is(Kind::kOptional)) {
      if (target.optional() == nullptr) {
        return Value::Bool(false);
      }
      target = Value(*target.optional());
    }
    if (target.IsError()) {
      return target;
    }
    const Found found = FindField(target, name_);
    if (found.has_value() && found->IsError()) {
      return found->ErrorAt(offset_);
    }
    return Value::Bool(found.has_value());
  }

 private:
  NodePtr target_;
  Value name_;
  AccessCost cost_;
  size_t offset_;
};

}  // namespace

NodePtr MakeConstant(Value value) { return std::make_unique<Constant>(std::move(value)); }

NodePtr MakeVariable(size_t index, uint64_t cost) {
  return std::make_unique<VariableNode>(index, cost);
}

NodePtr MakeLocal(size_t slot, uint64_t cost) { return std::make_unique<LocalNode>(slot, cost); }

NodePtr MakeSelect(NodePtr target, Value name, bool optional, AccessCost cost, size_t offset) {
  return std::make_unique<Select>(std::move(target), std::move(name), optional, cost, offset);
}

NodePtr MakeIndex(NodePtr target, NodePtr key, bool optional, AccessCost cost, size_t offset) {
  return std::make_unique<IndexNode>(std::move(target), std::move(key), optional, cost, offset);
}

NodePtr MakeHas(NodePtr target, Value name, AccessCost cost, size_t offset) {
  return std::make_unique<Has>(std::move(target), std::move(name), cost, offset);
}

}  // namespace hearth::cel::internal
