#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cel/internal/meter.h"
#include "cel/value.h"

namespace hearth::cel::internal {

// What one evaluation works with.
struct Frame {
  const std::vector<Value>& variables;
  std::vector<Value>& locals;  // of comprehensions, by slot
  Meter& meter;
};

// A piece of a compiled expression. Eval gives the value or an error value that knows its place,
// and charges the meter; once that is exhausted it returns as soon as it can and what it gives is
// of no meaning. Immutable, so one tree serves many threads.
class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;
  virtual Value Eval(Frame& frame) const = 0;
  // Null unless the value is known and free.
  virtual const Value* constant() const { return nullptr; }
};
using NodePtr = std::unique_ptr<const Node>;
using NodePtrs = std::vector<NodePtr>;

NodePtr MakeConstant(Value value);

// A variable of the activation, or of an enclosing comprehension. `cost` is 0 where cel-go does not
// count the root of an access path, else 1.
NodePtr MakeVariable(size_t index, uint64_t cost);
NodePtr MakeLocal(size_t slot, uint64_t cost);

struct AccessCost {
  uint64_t root = 0;       // when what is accessed is no path itself
  uint64_t qualifier = 1;  // for the step
};
NodePtr MakeSelect(NodePtr target, Value name, bool optional, AccessCost cost, size_t offset);
NodePtr MakeIndex(NodePtr target, NodePtr key, bool optional, AccessCost cost, size_t offset);
NodePtr MakeHas(NodePtr target, Value name, AccessCost cost, size_t offset);

NodePtr MakeAnd(NodePtrs terms, size_t offset);
NodePtr MakeOr(NodePtrs terms, size_t offset);
NodePtr MakeTernary(NodePtr condition, NodePtr yes, NodePtr no, size_t offset);

// `optionals` says which items (entries) are written with a question mark.
NodePtr MakeListNode(NodePtrs items, std::vector<bool> optionals, size_t offset);
NodePtr MakeMapNode(NodePtrs keys, NodePtrs values, std::vector<bool> optionals, size_t offset);

}  // namespace hearth::cel::internal
