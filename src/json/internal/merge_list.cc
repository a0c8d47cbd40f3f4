#include "json/internal/merge_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "base/seeded_hash.h"
#include "base/strings.h"
#include "json/internal/decimal.h"

namespace hearth::json::internal {
namespace {

// The same text exactly for equal scalars; nothing for null, arrays and objects.
std::optional<std::string> ScalarText(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
      return "\"" + value.string();
    case Kind::kNumber:
      return Decimal::Parse(value.number()).ToToken();
    case Kind::kBool:
      return value.boolean() ? "true" : "false";
    default:
      return std::nullopt;
  }
}

size_t PositionIn(const KeyPositions& positions, const MergeElement& element) {
  const auto place = positions.find(element.key);
  return place == positions.end() ? std::numeric_limits<size_t>::max() : place->second;
}

void SortBy(const KeyPositions& positions, MergeElements& elements) {
  std::stable_sort(elements.begin(), elements.end(),
                   [&](const MergeElement& a, const MergeElement& b) {
                     return PositionIn(positions, a) < PositionIn(positions, b);
                   });
}

}  // namespace

Result<MergeElement> ReadMergeElement(Value item, const std::string& merge_key) {
  if (!merge_key.empty() && !item.IsObject()) {
    return InvalidError(fmt::format("every element must be an object with {}, but one is {}",
                                    merge_key, KindName(item.kind())));
  }
  const Value* key = merge_key.empty() ? &item : item.Find(merge_key);
  std::optional<std::string> text = key == nullptr ? std::nullopt : ScalarText(*key);
  if (!text) {
    return InvalidError(
        merge_key.empty()
            ? fmt::format("only plain values can be merged, but one is {}", KindName(item.kind()))
            : fmt::format("an element lacks its merge key {}: {}", merge_key,
                          Excerpt(item.Write(), 128)));
  }
  return MergeElement{*std::move(text), std::move(item)};
}

Result<MergeElements> ReadMergeElements(Value::Items items, const std::string& merge_key) {
  MergeElements elements;
  elements.reserve(items.size());
  for (Value& item : items) {
    ASSIGN_OR_RETURN(MergeElement element, ReadMergeElement(std::move(item), merge_key));
    elements.push_back(std::move(element));
  }
  return elements;
}

KeyPositions PositionsOf(const MergeElements& elements) {
  KeyPositions positions;
  for (size_t i = 0; i < elements.size(); ++i) {
    positions.try_emplace(elements[i].key, i);
  }
  return positions;
}

void DropRepeated(MergeElements& elements) {
  SeededSet<std::string> seen;
  std::erase_if(elements,
                [&](const MergeElement& element) { return !seen.insert(element.key).second; });
}

MergeElements OrderElements(MergeElements merged, const KeyPositions& wanted,
                            const KeyPositions& live) {
  const auto others_begin = std::stable_partition(
      merged.begin(), merged.end(),
      [&](const MergeElement& element) { return wanted.contains(element.key); });
  MergeElements others(std::make_move_iterator(others_begin),
                       std::make_move_iterator(merged.end()));
  merged.erase(others_begin, merged.end());
  SortBy(wanted, merged);
  SortBy(live, others);

  MergeElements ordered;
  ordered.reserve(merged.size() + others.size());
  auto other = others.begin();
  for (MergeElement& element : merged) {
    const auto place = live.find(element.key);
    while (place != live.end() && other != others.end() &&
           PositionIn(live, *other) < place->second) {
      ordered.push_back(std::move(*other++));
    }
    ordered.push_back(std::move(element));
  }
  ordered.insert(ordered.end(), std::make_move_iterator(other),
                 std::make_move_iterator(others.end()));
  return ordered;
}

Value::Items TakeValues(MergeElements elements) {
  Value::Items items;
  items.reserve(elements.size());
  for (MergeElement& element : elements) {
    items.push_back(std::move(element.value));
  }
  return items;
}

}  // namespace hearth::json::internal
