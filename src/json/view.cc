#include "json/view.h"

#include "json/internal/escape.h"
#include "json/internal/number.h"
#include "json/internal/trusted.h"

namespace hearth::json {
namespace {

using internal::SkipValue;

// Takes the value that `rest` begins with, and the comma or bracket behind it.
std::string_view TakeValue(std::string_view& rest) {
  const char* begin = rest.data();
  const char* end = begin + rest.size();
  const char* behind = SkipValue(begin, end);
  rest = behind == end ? std::string_view() : std::string_view(behind + 1, end - behind - 1);
  return {begin, static_cast<size_t>(behind - begin)};
}

// What stands between the brackets and the closing bracket itself; empty for an empty one.
std::string_view Inside(std::string_view container) {
  container.remove_prefix(1);
  return container.size() <= 1 ? std::string_view() : container;
}

std::string_view Content(std::string_view quoted) { return quoted.substr(1, quoted.size() - 2); }

// Returns the place behind the value and sets `next` to the opening quote of the next member's
// name, or end.
const char* PassValue(internal::QuoteCursor& quotes, const char* value, const char* end,
                      const char*& next) {
  if (*value == '"') {
    quotes.Next();
    const char* close = quotes.Next();
    next = quotes.Next();
    return close + 1;
  }
  if (*value == '{' || *value == '[') {
    const char* behind = internal::SkipContainer(value, end);
    quotes.Seek(behind);
    next = quotes.Next();
    return behind;
  }
  // A number or word ends before the comma in front of the next name, or before the closing brace.
  next = quotes.Next();
  return next - 1;
}

bool IsPlain(std::string_view raw) { return raw.find('\\') == std::string_view::npos; }

std::string Unescaped(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  internal::AppendUnescaped(text, raw);
  return text;
}

}  // namespace

Kind View::kind() const {
  if (text_.empty()) {
    return Kind::kAbsent;
  }
  switch (text_[0]) {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    case 't':
    case 'f':
      return Kind::kBool;
    case 'n':
      return Kind::kNull;
    default:
      return Kind::kNumber;
  }
}

View View::operator[](std::string_view name) const {
  if (!IsObject()) {
    return {};
  }
  View found;
  const char* end = text_.data() + text_.size();
  internal::QuoteCursor quotes(text_.data() + 1, end);
  const char* open = quotes.Next();
  while (open != end) {
    const char* close = quotes.Next();
    const std::string_view raw(open + 1, close - open - 1);
    const char* value = close + 2;  // behind the quote and the colon
    const char* behind = PassValue(quotes, value, end, open);
    if (raw == name ? name.find('\\') == std::string_view::npos
                    : quotes.saw_backslash() && internal::UnescapedEquals(raw, name)) {
      found = View({value, static_cast<size_t>(behind - value)});
    }
  }
  return found;
}

View View::at(size_t index) const {
  for (const View item : items()) {
    if (index-- == 0) {
      return item;
    }
  }
  return {};
}

size_t View::size() const {
  std::string_view rest = IsObject() || IsArray() ? Inside(text_) : std::string_view();
  const bool object = IsObject();
  size_t count = 0;
  for (; !rest.empty(); ++count) {
    if (object) {
      TakeValue(rest);  // the name, and the colon behind it
    }
    TakeValue(rest);
  }
  return count;
}

std::optional<bool> View::Bool() const {
  return kind() == Kind::kBool ? std::optional<bool>(text_[0] == 't') : std::nullopt;
}

std::optional<int64_t> View::Int() const {
  return IsNumber() ? internal::TokenToInt(text_) : std::nullopt;
}

std::optional<double> View::Double() const {
  return IsNumber() ? internal::TokenToDouble(text_) : std::nullopt;
}

std::optional<std::string> View::String() const {
  return IsString() ? std::optional<std::string>(Unescaped(Content(text_))) : std::nullopt;
}

std::string View::StringOr(std::string_view other) const {
  return IsString() ? Unescaped(Content(text_)) : std::string(other);
}

std::optional<std::string_view> View::PlainString() const {
  if (!IsString() || !IsPlain(text_)) {
    return std::nullopt;
  }
  return Content(text_);
}

bool View::Equals(std::string_view text) const {
  return IsString() && internal::UnescapedEquals(Content(text_), text);
}

View::Range<View::MemberIterator> View::members() const {
  return {MemberIterator(IsObject() ? text_ : std::string_view())};
}

View::Range<View::ItemIterator> View::items() const {
  return {ItemIterator(IsArray() ? text_ : std::string_view())};
}

std::string Member::Name() const { return Unescaped(raw_name); }
bool Member::Is(std::string_view name) const { return internal::UnescapedEquals(raw_name, name); }

View::ItemIterator::ItemIterator(std::string_view array)
    : rest_(array.empty() ? array : Inside(array)) {
  ++*this;
}

View::ItemIterator& View::ItemIterator::operator++() {
  current_ = rest_.empty() ? std::string_view() : TakeValue(rest_);
  return *this;
}

View::MemberIterator::MemberIterator(std::string_view object)
    : rest_(object.empty() ? object : Inside(object)) {
  ++*this;
}

View::MemberIterator& View::MemberIterator::operator++() {
  if (rest_.empty()) {
    current_ = {};
    return *this;
  }
  current_.raw_name = Content(TakeValue(rest_));
  current_.value = View::Trusted(TakeValue(rest_));
  return *this;
}

}  // namespace hearth::json
