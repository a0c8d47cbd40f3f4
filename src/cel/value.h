#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearth::cel {

class List;
class Map;
class Object;
class Opaque;

enum class Kind : uint8_t {
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kList,
  kMap,
  kObject,
  kDuration,
  kTimestamp,
  kType,
  kOptional,
  kError,
  // Values of the libraries; see opaque.h.
  kUrl,
  kQuantity,
  kIp,
  kCidr,
  kSemver,
  kFormat,
};

// What type() names it: "int", "null_type", "google.protobuf.Duration", "kubernetes.URL".
std::string_view KindName(Kind kind);

// A point in time between the years 1 and 9999, as seconds since 1970 and 0 to 999,999,999 nanos.
struct Timestamp {
  int64_t seconds = 0;
  int32_t nanos = 0;
  friend auto operator<=>(const Timestamp&, const Timestamp&) = default;
};

// One CEL value. Immutable; a copy costs at most a reference count. Strings, lists, maps and
// objects may sit on foreign data that the maker of the value keeps alive, so an adapter copies
// nothing. Accessors CHECK the kind. Thread-safe if the lists, maps and objects in it are.
class Value {
 public:
  Value() = default;  // null
  static Value Null() { return {}; }
  static Value Bool(bool value);
  static Value Int(int64_t value);
  static Value Uint(uint64_t value);
  static Value Double(double value);
  // UTF-8.
  static Value String(std::string text);
  // `text` must outlive every copy of the value.
  static Value BorrowedString(std::string_view text);
  static Value Bytes(std::string bytes);
  static Value OfList(std::shared_ptr<const List> list);
  static Value OfMap(std::shared_ptr<const Map> map);
  static Value OfObject(std::shared_ptr<const Object> object);
  static Value OfOpaque(std::shared_ptr<const Opaque> opaque);
  static Value Duration(std::chrono::nanoseconds duration);
  static Value OfTimestamp(Timestamp time);
  // The type of that name, which must outlive the value; all names in KindName do.
  static Value Type(std::string_view name);
  static Value Optional(Value value);
  static Value None();
  // A failed evaluation: travels through strict operations, absorbed by && and ||.
  static Value Error(std::string message);
  // The same error, told to have happened at this byte of the expression; the first one told stays.
  Value ErrorAt(size_t offset) const;

  Kind kind() const { return kind_; }
  bool Is(Kind kind) const { return kind_ == kind; }
  bool IsError() const { return kind_ == Kind::kError; }
  bool IsTrue() const { return kind_ == Kind::kBool && scalar_.boolean; }
  bool IsFalse() const { return kind_ == Kind::kBool && !scalar_.boolean; }
  bool IsNumber() const { return kind_ >= Kind::kInt && kind_ <= Kind::kDouble; }

  bool boolean() const;
  int64_t integer() const;
  uint64_t unsigned_integer() const;
  double real() const;
  std::string_view text() const;  // of a string, bytes or type
  const List& list() const;
  const Map& map() const;
  const Object& object() const;
  const Opaque& opaque() const;
  std::chrono::nanoseconds duration() const;
  Timestamp timestamp() const;
  const Value* optional() const;  // null for optional.none()
  const std::string& error_message() const;
  // Where in the expression it went wrong; npos when nobody said.
  size_t error_offset() const;
  // What type(value) is called: KindName, or an object's or type's own.
  std::string_view type_name() const;

 private:
  struct Failure {
    std::string message;
    size_t offset;
  };
  struct Span {
    const char* data;
    size_t size;
  };
  struct Instant {  // a Timestamp a union can hold
    int64_t seconds;
    int32_t nanos;
  };
  union Scalar {
    int64_t integer = 0;
    bool boolean;
    uint64_t unsigned_integer;
    double real;
    Span span;
    Instant instant;
  };
  Value(Kind kind, Scalar scalar, std::shared_ptr<const void> held = nullptr)
      : kind_(kind), scalar_(scalar), held_(std::move(held)) {}
  static Value OfText(Kind kind, std::string text);

  Kind kind_ = Kind::kNull;
  Scalar scalar_;
  // Shared because values are copied freely and outlive the scope that made them.
  std::shared_ptr<const void> held_;
};

// CEL's ==, which never fails: numbers by value whatever their types, lists and maps by their own
// Equals (the left one's), unlike kinds are unequal, and NaN is unequal to itself.
bool Equal(const Value& a, const Value& b);

// A list of these, as a literal makes it.
Value MakeList(std::vector<Value> items);

}  // namespace hearth::cel
