#include <utility>

#include "cel/internal/node.h"

namespace hearth::cel::internal {
namespace {

// && and ||: the first term that decides gives the value, wherever it stands, even beside errors.
class Logical final : public Node {
 public:
  Logical(NodePtrs terms, bool deciding, size_t offset)
      : terms_(std::move(terms)), deciding_(deciding), offset_(offset) {}

  Value Eval(Frame& frame) const override {
    Value failure;
    for (const auto& term : terms_) {
      Value value = term->Eval(frame);
      if (frame.meter.exhausted()) {
        return Value::Error("");
      }
      if (value.Is(Kind::kBool)) {
        if (value.boolean() == deciding_) {
          return value;
        }
      } else if (!failure.IsError()) {
        failure = value.IsError() ? std::move(value) : Value::Error("no such overload");
      }
    }
    return failure.IsError() ? failure.ErrorAt(offset_) : Value::Bool(!deciding_);
  }

 private:
  NodePtrs terms_;
  bool deciding_;
  size_t offset_;
};

class Ternary final : public Node {
 public:
  Ternary(NodePtr condition, NodePtr yes, NodePtr no, size_t offset)
      : condition_(std::move(condition)),
        yes_(std::move(yes)),
        no_(std::move(no)),
        offset_(offset) {}

  Value Eval(Frame& frame) const override {
    const Value condition = condition_->Eval(frame);
    if (!condition.Is(Kind::kBool)) {
      return condition.IsError() ? condition : Value::Error("no such overload").ErrorAt(offset_);
    }
    return condition.boolean() ? yes_->Eval(frame) : no_->Eval(frame);
  }

 private:
  NodePtr condition_;
  NodePtr yes_;
  NodePtr no_;
  size_t offset_;
};

}  // namespace

NodePtr MakeAnd(NodePtrs terms, size_t offset) {
  return std::make_unique<Logical>(std::move(terms), false, offset);
}

NodePtr MakeOr(NodePtrs terms, size_t offset) {
  return std::make_unique<Logical>(std::move(terms), true, offset);
}

NodePtr MakeTernary(NodePtr condition, NodePtr yes, NodePtr no, size_t offset) {
  return std::make_unique<Ternary>(std::move(condition), std::move(yes), std::move(no), offset);
}

}  // namespace hearth::cel::internal
