#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/internal/bracket_scanner.h"

namespace hearth::json {

// Cuts a Kubernetes list ({"kind":..,"metadata":{..},"items":[{..},..]}) into its items while it
// arrives, in pieces of any size, so that a list is never held whole. Not thread-safe.
//
// Items are found by counting brackets; what is inside is for whoever takes them to check.
class ItemSplitter {
 public:
  struct Limits {
    size_t max_item_bytes = size_t{16} << 20;
    size_t max_head_bytes = size_t{1} << 20;  // everything that is not an item
  };
  // Called with each item's text, valid during the call; `capacity` bytes may be read from
  // item.data() on. An item that lies whole in one piece is not copied. A failure ends the
  // splitting and is returned by Feed.
  using OnItem = std::function<Status(std::string_view item, size_t capacity)>;

  explicit ItemSplitter(OnItem on_item);
  ItemSplitter(OnItem on_item, Limits limits);

  // kInvalid when this cannot be a list, kExhausted over a limit. After a failure every call
  // returns it again.
  Status Feed(std::string_view bytes);
  // After the last byte: the list without its items, e.g.
  // {"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[]}, checked and compact as
  // json::Parse makes it. kDataLoss when the list was not complete; kInvalid when it has no items
  // member, so that something else is never taken for an empty list.
  Result<std::string> Finish();

 private:
  enum class State { kHead, kItems, kItem, kTail };
  enum class Separator { kNone, kItem, kComma };  // what came last between the brackets of items

  Status Consume(std::string_view bytes);
  // Each takes bytes off the front of `rest`, as long as its state lasts.
  Status TakeHead(std::string_view& rest);
  Status TakeBetweenItems(std::string_view& rest);
  Status TakeItem(std::string_view& rest);
  Status TakeTail(std::string_view& rest);

  Status HeadByte(char c);
  Status AppendHead(char c);
  void StringByte(char c);
  void StructureByte(char c);
  Status BeginItems(char c);
  Status BetweenItemsByte(char c);

  OnItem on_item_;
  Limits limits_;
  Status failure_;
  State state_ = State::kHead;

  std::string head_;
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  size_t string_begin_ = 0;       // of the string read last, in head_
  bool string_is_items_ = false;  // it was "items"
  bool items_next_ = false;       // so was the member name whose value comes next
  bool has_items_ = false;

  Separator separator_ = Separator::kNone;
  internal::BracketScanner scanner_;  // of the item at hand
  std::string item_;                  // what earlier pieces held of it
  size_t item_count_ = 0;
};

}  // namespace hearth::json
