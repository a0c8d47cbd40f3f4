#include "cel/value.h"

#include "base/check.h"
#include "cel/collections.h"
#include "cel/opaque.h"

namespace hearth::cel {

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "null_type";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int";
    case Kind::kUint:
      return "uint";
    case Kind::kDouble:
      return "double";
    case Kind::kString:
      return "string";
    case Kind::kBytes:
      return "bytes";
    case Kind::kList:
      return "list";
    case Kind::kMap:
      return "map";
    case Kind::kObject:
      return "object";
    case Kind::kDuration:
      return "google.protobuf.Duration";
    case Kind::kTimestamp:
      return "google.protobuf.Timestamp";
    case Kind::kType:
      return "type";
    case Kind::kOptional:
      return "optional_type";
    case Kind::kError:
      return "error";
    case Kind::kUrl:
      return "kubernetes.URL";
    case Kind::kQuantity:
      return "kubernetes.Quantity";
    case Kind::kIp:
      return "net.IP";
    case Kind::kCidr:
      return "net.CIDR";
    case Kind::kSemver:
      return "kubernetes.Semver";
    case Kind::kFormat:
      return "kubernetes.NamedFormat";
  }
  return "unknown";
}

Value Value::Bool(bool value) { return {Kind::kBool, {.boolean = value}}; }
Value Value::Int(int64_t value) { return {Kind::kInt, {.integer = value}}; }
Value Value::Uint(uint64_t value) { return {Kind::kUint, {.unsigned_integer = value}}; }
Value Value::Double(double value) { return {Kind::kDouble, {.real = value}}; }

Value Value::OfText(Kind kind, std::string text) {
  auto held = std::make_shared<const std::string>(std::move(text));
  const Span span{held->data(), held->size()};
  return {kind, {.span = span}, std::move(held)};
}

Value Value::String(std::string text) { return OfText(Kind::kString, std::move(text)); }
Value Value::Bytes(std::string bytes) { return OfText(Kind::kBytes, std::move(bytes)); }

Value Value::BorrowedString(std::string_view text) {
  return {Kind::kString, {.span = {text.data(), text.size()}}};
}

Value Value::Type(std::string_view name) {
  return {Kind::kType, {.span = {name.data(), name.size()}}};
}

Value Value::OfList(std::shared_ptr<const List> list) { return {Kind::kList, {}, std::move(list)}; }
Value Value::OfMap(std::shared_ptr<const Map> map) { return {Kind::kMap, {}, std::move(map)}; }

Value Value::OfObject(std::shared_ptr<const Object> object) {
  return {Kind::kObject, {}, std::move(object)};
}

Value Value::OfOpaque(std::shared_ptr<const Opaque> opaque) {
  const Kind kind = opaque->kind();
  return {kind, {}, std::move(opaque)};
}

Value Value::Duration(std::chrono::nanoseconds duration) {
  return {Kind::kDuration, {.integer = duration.count()}};
}

Value Value::OfTimestamp(Timestamp time) {
  return {Kind::kTimestamp, {.instant = {time.seconds, time.nanos}}};
}

Value Value::Optional(Value value) {
  return {Kind::kOptional, {}, std::make_shared<const Value>(std::move(value))};
}

Value Value::None() { return {Kind::kOptional, {}}; }

Value Value::Error(std::string message) {
  return {Kind::kError,
          {},
          std::make_shared<const Failure>(Failure{std::move(message), std::string::npos})};
}

Value Value::ErrorAt(size_t offset) const {
  if (error_offset() != std::string::npos) {
    return *this;
  }
  return {Kind::kError, {}, std::make_shared<const Failure>(Failure{error_message(), offset})};
}

bool Value::boolean() const {
  CHECK(Is(Kind::kBool));
  return scalar_.boolean;
}

int64_t Value::integer() const {
  CHECK(Is(Kind::kInt));
  return scalar_.integer;
}

uint64_t Value::unsigned_integer() const {
  CHECK(Is(Kind::kUint));
  return scalar_.unsigned_integer;
}

double Value::real() const {
  CHECK(Is(Kind::kDouble));
  return scalar_.real;
}

std::string_view Value::text() const {
  CHECK(Is(Kind::kString) || Is(Kind::kBytes) || Is(Kind::kType));
  return {scalar_.span.data, scalar_.span.size};
}

const List& Value::list() const {
  CHECK(Is(Kind::kList));
  return *static_cast<const List*>(held_.get());
}

const Map& Value::map() const {
  CHECK(Is(Kind::kMap));
  return *static_cast<const Map*>(held_.get());
}

const Object& Value::object() const {
  CHECK(Is(Kind::kObject));
  return *static_cast<const Object*>(held_.get());
}

const Opaque& Value::opaque() const {
  CHECK(kind_ >= Kind::kUrl);
  return *static_cast<const Opaque*>(held_.get());
}

std::chrono::nanoseconds Value::duration() const {
  CHECK(Is(Kind::kDuration));
  return std::chrono::nanoseconds(scalar_.integer);
}

Timestamp Value::timestamp() const {
  CHECK(Is(Kind::kTimestamp));
  return {scalar_.instant.seconds, scalar_.instant.nanos};
}

const Value* Value::optional() const {
  CHECK(Is(Kind::kOptional));
  return static_cast<const Value*>(held_.get());
}

const std::string& Value::error_message() const {
  CHECK(IsError());
  return static_cast<const Failure*>(held_.get())->message;
}

size_t Value::error_offset() const {
  CHECK(IsError());
  return static_cast<const Failure*>(held_.get())->offset;
}

std::string_view Value::type_name() const {
  return Is(Kind::kObject) ? object().type_name() : KindName(kind_);
}

}  // namespace hearth::cel
