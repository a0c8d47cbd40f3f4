#include "json/item_splitter.h"

#include <fmt/format.h>

#include <utility>

#include "base/strings.h"
#include "json/internal/escape.h"
#include "json/parse.h"

namespace hearth::json {
namespace {

constexpr std::string_view kItemsName = "items";

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

Status NotAList(std::string_view why) {
  return InvalidError(fmt::format("this is no Kubernetes list: {}", why));
}

}  // namespace

ItemSplitter::ItemSplitter(OnItem on_item) : ItemSplitter(std::move(on_item), Limits()) {}
ItemSplitter::ItemSplitter(OnItem on_item, Limits limits)
    : on_item_(std::move(on_item)), limits_(limits) {}

Status ItemSplitter::Feed(std::string_view bytes) {
  if (failure_.ok()) {
    failure_ = Consume(bytes);
  }
  return failure_;
}

Status ItemSplitter::Consume(std::string_view bytes) {
  while (!bytes.empty()) {
    switch (state_) {
      case State::kHead:
        RETURN_IF_ERROR(TakeHead(bytes));
        break;
      case State::kItems:
        RETURN_IF_ERROR(TakeBetweenItems(bytes));
        break;
      case State::kItem:
        RETURN_IF_ERROR(TakeItem(bytes));
        break;
      case State::kTail:
        RETURN_IF_ERROR(TakeTail(bytes));
        break;
    }
  }
  return Status::Ok();
}

Status ItemSplitter::TakeHead(std::string_view& rest) {
  while (!rest.empty() && state_ == State::kHead) {
    RETURN_IF_ERROR(HeadByte(rest.front()));
    rest.remove_prefix(1);
  }
  return Status::Ok();
}

Status ItemSplitter::AppendHead(char c) {
  if (head_.size() >= limits_.max_head_bytes) {
    return ExhaustedError(
        fmt::format("the list has more than {} bytes beside its items", limits_.max_head_bytes));
  }
  head_ += c;
  return Status::Ok();
}

Status ItemSplitter::HeadByte(char c) {
  RETURN_IF_ERROR(AppendHead(c));
  if (in_string_) {
    StringByte(c);
    return Status::Ok();
  }
  if (IsSpace(c)) {
    return Status::Ok();
  }
  if (depth_ == 0 && c != '{') {
    return NotAList("it does not begin with '{'");
  }
  if (items_next_) {
    return BeginItems(c);
  }
  StructureByte(c);
  return Status::Ok();
}

void ItemSplitter::StringByte(char c) {
  if (std::exchange(escaped_, false)) {
    return;
  }
  escaped_ = c == '\\';
  if (c == '"') {
    in_string_ = false;
    const std::string_view string =
        std::string_view(head_).substr(string_begin_, head_.size() - 1 - string_begin_);
    string_is_items_ = depth_ == 1 && internal::UnescapedEquals(string, kItemsName);
  }
}

// Only what is needed to find the items; Finish has the head checked as JSON.
void ItemSplitter::StructureByte(char c) {
  switch (c) {
    case '"':
      in_string_ = true;
      string_begin_ = head_.size();
      break;
    case ':':
      items_next_ = std::exchange(string_is_items_, false);
      break;
    case '{':
    case '[':
      ++depth_;
      break;
    case '}':
    case ']':
      --depth_;
      state_ = depth_ == 0 ? State::kTail : State::kHead;
      break;
    default:
      break;
  }
}

Status ItemSplitter::BeginItems(char c) {
  items_next_ = false;
  if (std::exchange(has_items_, true)) {
    return NotAList("it has two members named items");
  }
  if (c == '[') {
    state_ = State::kItems;
    return Status::Ok();
  }
  // How Go writes a list that was never filled.
  return c == 'n' ? Status::Ok() : NotAList("its items are not an array");
}

Status ItemSplitter::TakeBetweenItems(std::string_view& rest) {
  while (!rest.empty() && state_ == State::kItems) {
    const char c = rest.front();
    if (c == '{' && separator_ != Separator::kItem) {
      state_ = State::kItem;  // the brace belongs to the item
      scanner_ = {};
      item_.clear();
      return Status::Ok();
    }
    RETURN_IF_ERROR(BetweenItemsByte(c));
    rest.remove_prefix(1);
  }
  return Status::Ok();
}

Status ItemSplitter::BetweenItemsByte(char c) {
  if (IsSpace(c)) {
    return Status::Ok();
  }
  if (c == ',' && separator_ == Separator::kItem) {
    separator_ = Separator::kComma;
    return Status::Ok();
  }
  if (c == ']' && separator_ != Separator::kComma) {
    state_ = State::kHead;
    return AppendHead(c);
  }
  return NotAList(fmt::format("after {} items stands '{}'", item_count_, Excerpt({&c, 1}, 4)));
}

Status ItemSplitter::TakeItem(std::string_view& rest) {
  const char* behind = scanner_.Scan(rest.data(), rest.data() + rest.size());
  const size_t taken = behind == nullptr ? rest.size() : behind - rest.data();
  if (item_.size() + taken > limits_.max_item_bytes) {
    return ExhaustedError(fmt::format("item {} of the list has more than {} bytes", item_count_,
                                      limits_.max_item_bytes));
  }
  if (behind == nullptr || !item_.empty()) {
    item_.append(rest.substr(0, taken));
  }
  if (behind != nullptr) {
    RETURN_IF_ERROR(item_.empty() ? on_item_(rest.substr(0, taken), rest.size())
                                  : on_item_(item_, item_.size()));
    ++item_count_;
    separator_ = Separator::kItem;
    state_ = State::kItems;
  }
  rest.remove_prefix(taken);
  return Status::Ok();
}

Status ItemSplitter::TakeTail(std::string_view& rest) {
  for (; !rest.empty(); rest.remove_prefix(1)) {
    if (!IsSpace(rest.front())) {
      return NotAList("more bytes follow its end");
    }
  }
  return Status::Ok();
}

Result<std::string> ItemSplitter::Finish() {
  RETURN_IF_ERROR(failure_);
  if (state_ != State::kTail) {
    return DataLossError(
        fmt::format("the list is cut off after {} complete items; read it again", item_count_));
  }
  ASSIGN_OR_RETURN(
      const Blob head,
      Parse(head_, {.max_bytes = limits_.max_head_bytes}).WithContext("the list around its items"));
  if (!has_items_) {
    return NotAList(fmt::format("it has no items: {}", Excerpt(head.text(), 200)));
  }
  return std::string(head.text());
}

}  // namespace hearth::json
