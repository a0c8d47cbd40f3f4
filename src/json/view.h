#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "json/kind.h"

namespace hearth::json {

// A JSON value inside compact, already validated text: a pointer and a length, nothing parsed until
// asked for. Reading a member scans its siblings; nothing is allocated. Borrows the text: whoever
// made the view keeps the Blob or cached object alive. Asking an absent value, or one of another
// kind, for something gives absent or nothing; a reader needs no checks in between:
//   view["spec"]["replicas"].Int().value_or(1)
class View {
 public:
  View() = default;  // absent
  // `text` must be one valid JSON value without white space outside strings, as Blob, Value::Write
  // and Builder make it.
  static View Trusted(std::string_view text) { return View(text); }

  Kind kind() const;
  bool exists() const { return !text_.empty(); }
  bool IsNull() const { return kind() == Kind::kNull; }
  bool IsObject() const { return kind() == Kind::kObject; }
  bool IsArray() const { return kind() == Kind::kArray; }
  bool IsString() const { return kind() == Kind::kString; }
  bool IsNumber() const { return kind() == Kind::kNumber; }
  // The value's exact text; empty when absent.
  std::string_view raw() const { return text_; }

  // Member of an object; the last one wins if a name stands twice.
  View operator[](std::string_view name) const;
  View operator[](const char* name) const { return (*this)[std::string_view(name)]; }
  // Element of an array.
  View at(size_t index) const;
  // Members or elements; 0 for anything else.
  size_t size() const;

  std::optional<bool> Bool() const;
  // Only for a number written as an integer that fits, so 1.0 and 1e3 give nothing.
  std::optional<int64_t> Int() const;
  std::optional<double> Double() const;
  std::optional<std::string> String() const;
  std::string StringOr(std::string_view other) const;
  // The string's bytes where they stand, when no character is escaped; nothing otherwise.
  std::optional<std::string_view> PlainString() const;
  // Whether it is this string; allocates nothing.
  bool Equals(std::string_view text) const;

  class MemberIterator;
  class ItemIterator;
  template <typename Iterator>
  struct Range {
    Iterator first;
    Iterator begin() const { return first; }
    std::default_sentinel_t end() const { return {}; }
  };
  // for (const auto& member : view.members()) { member.Name(), member.value }
  Range<MemberIterator> members() const;
  // for (View item : view.items())
  Range<ItemIterator> items() const;

 private:
  explicit View(std::string_view text) : text_(text) {}
  std::string_view text_;
};

struct Member {
  std::string_view raw_name;  // between the quotes, escapes as written
  View value;
  std::string Name() const;  // unescaped
  bool Is(std::string_view name) const;
};

class View::ItemIterator {
 public:
  explicit ItemIterator(std::string_view array);
  View operator*() const { return View::Trusted(current_); }
  ItemIterator& operator++();
  bool operator==(std::default_sentinel_t) const { return current_.empty(); }

 private:
  std::string_view rest_;
  std::string_view current_;
};

class View::MemberIterator {
 public:
  explicit MemberIterator(std::string_view object);
  const Member& operator*() const { return current_; }
  MemberIterator& operator++();
  bool operator==(std::default_sentinel_t) const { return !current_.value.exists(); }

 private:
  std::string_view rest_;
  Member current_;
};

}  // namespace hearth::json
