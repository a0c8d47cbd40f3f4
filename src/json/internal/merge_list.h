#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/seeded_hash.h"
#include "json/value.h"

// The lists of a strategic merge patch: telling elements apart and putting them in order.
namespace hearth::json::internal {

struct MergeElement {
  std::string key;  // what tells it apart, as text
  Value value;
};
using MergeElements = std::vector<MergeElement>;

// Elements told apart by `merge_key`, or, when that is empty, plain values told apart by
// themselves. kInvalid when an element is of the wrong kind or lacks the key.
Result<MergeElement> ReadMergeElement(Value item, const std::string& merge_key);
Result<MergeElements> ReadMergeElements(Value::Items items, const std::string& merge_key);

// Where each key stands first.
using KeyPositions = SeededMap<std::string, size_t>;
KeyPositions PositionsOf(const MergeElements& elements);

// Leaves the first of each key.
void DropRepeated(MergeElements& elements);

// Puts `merged` in order: elements that `wanted` names stand as it has them, the others as `live`
// has them, and each of those before the first wanted one that it preceded in `live`, as far as
// both can be had.
MergeElements OrderElements(MergeElements merged, const KeyPositions& wanted,
                            const KeyPositions& live);

Value::Items TakeValues(MergeElements elements);

}  // namespace hearth::json::internal
