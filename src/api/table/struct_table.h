#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "api/table/codec.h"
#include "api/table/node.h"
#include "base/result.h"
#include "json/value.h"
#include "json/view.h"

namespace hearth::api {

// One field: its wire name, what it may hold, and where it lives in the C++ type. A field that no
// code reads has no place there and is only described.
class Field {
 public:
  // Described and bound: the schema follows from the member's type.
  template <typename T, typename M>
  Field(std::string name, M T::*member, std::string doc)
      : Field(std::move(name), member, Codec<M>::Describe(), std::move(doc)) {}
  // Bound, with a schema that the member's type cannot tell.
  template <typename T, typename M>
  Field(std::string name, M T::*member, Node node, std::string doc)
      : Field(std::move(name), std::move(node), std::move(doc)) {
    decode_ = [member](json::View view, void* object) {
      return Codec<M>::Decode(view, static_cast<T*>(object)->*member);
    };
    encode_ = [member](const void* object, bool always) -> std::optional<json::Value> {
      const M& value = static_cast<const T*>(object)->*member;
      return always || !Codec<M>::IsEmpty(value) ? std::optional(Codec<M>::Encode(value))
                                                 : std::nullopt;
    };
  }
  // Described only.
  Field(std::string name, Node node, std::string doc);

  Field&& Required() &&;
  // Encoded also when it is empty, as those are that must be there: a server that fills in the
  // default would store more than it was sent.
  Field&& AlwaysWritten() &&;
  // Changes the schema in place: Field(...).With([](Node& node) { node.Min(1); })
  Field&& With(const std::function<void(Node&)>& change) &&;
  Field&& Default(json::Value value) &&;
  Field&& Enum(std::initializer_list<std::string_view> values) &&;
  Field&& Min(int64_t value) &&;
  Field&& Max(int64_t value) &&;
  Field&& Rule(std::string rule, std::string message) &&;

  const std::string& name() const { return name_; }
  const Node& node() const { return node_; }
  bool required() const { return required_; }
  bool bound() const { return decode_ != nullptr; }
  Status Decode(json::View view, void* object) const { return decode_(view, object); }
  std::optional<json::Value> Encode(const void* object) const {
    return encode_(object, required_ || always_written_);
  }

 private:
  std::string name_;
  Node node_;
  bool required_ = false;
  bool always_written_ = false;
  std::function<Status(json::View, void*)> decode_;
  std::function<std::optional<json::Value>(const void*, bool always)> encode_;
};

// All fields of one object type: the single place that knows their wire names.
class StructTable {
 public:
  StructTable(std::string doc, std::vector<Field> fields, std::vector<schema::Rule> rules = {});

  const schema::SchemaPtr& schema() const { return schema_; }
  const std::vector<Field>& fields() const { return fields_; }

  // Members that no field is bound to are passed over; absent and null ones leave the C++ member as
  // it is. kInvalid names the field and what was expected.
  Status Decode(json::View view, void* object) const;
  json::Value Encode(const void* object) const;

 private:
  std::vector<Field> fields_;
  schema::SchemaPtr schema_;
};

// A described object type without a C++ counterpart.
Node Object(std::string doc, std::vector<Field> fields, std::vector<schema::Rule> rules = {});

// For a type T with `static const StructTable& Fields()`.
template <typename T>
Result<T> DecodeAs(json::View view) {
  T value;
  RETURN_IF_ERROR(T::Fields().Decode(view, &value));
  return value;
}
template <typename T>
json::Value Encoded(const T& value) {
  return T::Fields().Encode(&value);
}

}  // namespace hearth::api
