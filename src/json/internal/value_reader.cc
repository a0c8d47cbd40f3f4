#include "json/internal/value_reader.h"

#include <string>
#include <utility>

#include "json/internal/escape.h"
#include "json/internal/trusted.h"

namespace hearth::json::internal {
namespace {

class TreeReader {
 public:
  explicit TreeReader(std::string_view text) : p_(text.data()), end_(p_ + text.size()) {}

  Value Read() {
    if (p_ == end_) {
      return {};
    }
    switch (*p_) {
      case '{':
        return ReadObject();
      case '[':
        return ReadArray();
      case '"':
        return ReadString();
      default:
        return ReadScalar();
    }
  }

 private:
  Value ReadObject() {
    Value::Members members;
    Skip('{');
    while (!Skip('}')) {
      std::string name = ReadString();
      Skip(':');
      members.emplace_back(std::move(name), Read());
      Skip(',');
    }
    return Value::FromMembers(std::move(members));
  }

  Value ReadArray() {
    Value::Items items;
    Skip('[');
    while (!Skip(']')) {
      items.push_back(Read());
      Skip(',');
    }
    return Value::FromItems(std::move(items));
  }

  std::string ReadString() {
    const char* begin = p_ + 1;
    const char* close = StringEnd(p_, end_);
    p_ = close + 1;
    std::string text;
    AppendUnescaped(text, {begin, static_cast<size_t>(close - begin)});
    return text;
  }

  Value ReadScalar() {
    const char* begin = p_;
    p_ = SkipScalar(p_, end_);
    switch (*begin) {
      case 't':
        return true;
      case 'f':
        return false;
      case 'n':
        return nullptr;
      default:
        return Value::Number{std::string(begin, p_)};
    }
  }

  bool Skip(char c) {
    const bool there = *p_ == c;
    p_ += there ? 1 : 0;
    return there;
  }

  const char* p_;
  const char* end_;
};

}  // namespace

Value ReadValue(std::string_view trusted) { return TreeReader(trusted).Read(); }

}  // namespace hearth::json::internal
