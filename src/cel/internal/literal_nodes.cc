#include <fmt/format.h>

#include <utility>

#include "cel/collections.h"
#include "cel/internal/call_cost.h"
#include "cel/internal/node.h"
#include "cel/internal/text.h"

namespace hearth::cel::internal {
namespace {

class ListNode final : public Node {
 public:
  ListNode(NodePtrs items, std::vector<bool> optionals, size_t offset)
      : items_(std::move(items)), optionals_(std::move(optionals)), offset_(offset) {}

  Value Eval(Frame& frame) const override {
    std::vector<Value> values;
    values.reserve(items_.size());
    for (size_t i = 0; i < items_.size(); ++i) {
      Value value = items_[i]->Eval(frame);
      if (value.IsError()) {
        return value;
      }
      if (!optionals_[i]) {
        values.push_back(std::move(value));
      } else if (!value.Is(Kind::kOptional)) {
        return Value::Error(fmt::format("cannot initialize optional list element from non-optional "
                                        "value {}",
                                        TextOf(value)))
            .ErrorAt(offset_);
      } else if (value.optional() != nullptr) {
        values.push_back(*value.optional());
      }
    }
    frame.meter.Charge(kListCost);
    return MakeList(std::move(values));
  }

 private:
  NodePtrs items_;
  std::vector<bool> optionals_;
  size_t offset_;
};

class MapNode final : public Node {
 public:
  MapNode(NodePtrs keys, NodePtrs values, std::vector<bool> optionals, size_t offset)
      : keys_(std::move(keys)),
        values_(std::move(values)),
        optionals_(std::move(optionals)),
        offset_(offset) {}

  Value Eval(Frame& frame) const override {
    Entries entries;
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (Value failure = AddEntry(frame, i, entries); failure.IsError()) {
        return failure.ErrorAt(offset_);
      }
    }
    frame.meter.Charge(kMapCost);
    return MakeMap(std::move(entries));
  }

 private:
  // Null, or why there is no map.
  Value AddEntry(Frame& frame, size_t i, Entries& entries) const {
    Value key = keys_[i]->Eval(frame);
    if (key.IsError()) {
      return key;
    }
    Value value = values_[i]->Eval(frame);
    if (value.IsError()) {
      return value;
    }
    if (!IsMapKey(key)) {
      return Value::Error(fmt::format("unsupported key type: {}", key.type_name()));
    }
    if (optionals_[i]) {
      if (!value.Is(Kind::kOptional)) {
        return Value::Error(
            fmt::format("cannot initialize optional entry '{}' from non-optional value {}",
                        TextOf(key), TextOf(value)));
      }
      if (value.optional() == nullptr) {
        entries.erase(key);
        return {};
      }
      value = Value(*value.optional());
    }
    entries.insert_or_assign(std::move(key), std::move(value));
    return {};
  }

  NodePtrs keys_;
  NodePtrs values_;
  std::vector<bool> optionals_;
  size_t offset_;
};

}  // namespace

NodePtr MakeListNode(NodePtrs items, std::vector<bool> optionals, size_t offset) {
  return std::make_unique<ListNode>(std::move(items), std::move(optionals), offset);
}

NodePtr MakeMapNode(NodePtrs keys, NodePtrs values, std::vector<bool> optionals, size_t offset) {
  return std::make_unique<MapNode>(std::move(keys), std::move(values), std::move(optionals),
                                   offset);
}

}  // namespace hearth::cel::internal
