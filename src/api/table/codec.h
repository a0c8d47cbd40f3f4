#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/table/node.h"
#include "base/result.h"
#include "json/value.h"
#include "json/view.h"

namespace hearth::api {

class StructTable;

// How a C++ type stands in JSON. Decode leaves the value alone when the view is absent or null; a
// value of another kind is kInvalid. Empty values are not written unless the field is required.
template <typename T>
struct Codec;

namespace internal {
Status WrongKind(json::View view, std::string_view expected);
Status AtMember(Status status, const std::string& name);
Status AtItem(Status status, size_t index);
schema::Schema DescribeStruct(const StructTable& table);
Status DecodeStruct(const StructTable& table, json::View view, void* object);
json::Value EncodeStruct(const StructTable& table, const void* object);
Status DecodeInteger(json::View view, int64_t min, int64_t max, int64_t& value);
inline bool Absent(json::View view) { return !view.exists() || view.IsNull(); }
}  // namespace internal

template <>
struct Codec<std::string> {
  static Node Describe() { return String(); }
  static Status Decode(json::View view, std::string& value);
  static json::Value Encode(const std::string& value) { return value; }
  static bool IsEmpty(const std::string& value) { return value.empty(); }
};

template <>
struct Codec<bool> {
  static Node Describe() { return Boolean(); }
  static Status Decode(json::View view, bool& value);
  static json::Value Encode(bool value) { return value; }
  static bool IsEmpty(bool value) { return !value; }
};

template <>
struct Codec<int32_t> {
  static Node Describe() { return Integer32(); }
  static Status Decode(json::View view, int32_t& value);
  static json::Value Encode(int32_t value) { return value; }
  static bool IsEmpty(int32_t value) { return value == 0; }
};

template <>
struct Codec<int64_t> {
  static Node Describe() { return Integer64(); }
  static Status Decode(json::View view, int64_t& value);
  static json::Value Encode(int64_t value) { return value; }
  static bool IsEmpty(int64_t value) { return value == 0; }
};

// Kept as it came: what we hand on without looking inside.
template <>
struct Codec<json::Value> {
  static Node Describe() { return FreeForm(); }
  static Status Decode(json::View view, json::Value& value);
  static json::Value Encode(const json::Value& value) { return value; }
  static bool IsEmpty(const json::Value& value) { return value.IsNull(); }
};

// An enumeration with `EnumNames(E)`: a table of names found beside the type.
template <typename E>
requires std::is_enum_v<E>
struct Codec<E> {
  static Node Describe() {
    Node node = String();
    for (const auto& [name, value] : EnumNames(E{})) {
      node.Enum({name});
    }
    return node;
  }
  static Status Decode(json::View view, E& value) {
    if (internal::Absent(view)) {
      return {};
    }
    std::string expected;
    for (const auto& [name, candidate] : EnumNames(E{})) {
      if (view.Equals(name)) {
        value = candidate;
        return {};
      }
      expected += (expected.empty() ? "" : ", ") + std::string(name);
    }
    return internal::WrongKind(view, "one of " + expected);
  }
  static json::Value Encode(E value) {
    for (const auto& [name, candidate] : EnumNames(E{})) {
      if (candidate == value) {
        return name;
      }
    }
    return "";
  }
  static bool IsEmpty(E) { return false; }
};

// Present or not.
template <typename T>
struct Codec<std::optional<T>> {
  static Node Describe() { return Codec<T>::Describe(); }
  static Status Decode(json::View view, std::optional<T>& value) {
    return internal::Absent(view) ? Status() : Codec<T>::Decode(view, value.emplace());
  }
  static json::Value Encode(const std::optional<T>& value) { return Codec<T>::Encode(*value); }
  static bool IsEmpty(const std::optional<T>& value) { return !value.has_value(); }
};

template <typename T>
struct Codec<std::vector<T>> {
  static Node Describe() { return ListOf(Codec<T>::Describe()); }
  static Status Decode(json::View view, std::vector<T>& value) {
    if (internal::Absent(view)) {
      return {};
    }
    if (!view.IsArray()) {
      return internal::WrongKind(view, "a list");
    }
    value.clear();
    for (const json::View item : view.items()) {
      if (Status status = Codec<T>::Decode(item, value.emplace_back()); !status.ok()) {
        return internal::AtItem(std::move(status), value.size() - 1);
      }
    }
    return {};
  }
  static json::Value Encode(const std::vector<T>& value) {
    json::Value list = json::Value::Array();
    for (const T& item : value) {
      list.Append(Codec<T>::Encode(item));
    }
    return list;
  }
  static bool IsEmpty(const std::vector<T>& value) { return value.empty(); }
};

template <typename T>
struct Codec<std::map<std::string, T>> {
  static Node Describe() { return MapOf(Codec<T>::Describe()); }
  static Status Decode(json::View view, std::map<std::string, T>& value) {
    if (internal::Absent(view)) {
      return {};
    }
    if (!view.IsObject()) {
      return internal::WrongKind(view, "a map");
    }
    value.clear();
    for (const json::Member& member : view.members()) {
      const std::string name = member.Name();
      if (Status status = Codec<T>::Decode(member.value, value[name]); !status.ok()) {
        return internal::AtMember(std::move(status), name);
      }
    }
    return {};
  }
  static json::Value Encode(const std::map<std::string, T>& value) {
    json::Value object = json::Value::Object();
    for (const auto& [name, item] : value) {
      object.Set(name, Codec<T>::Encode(item));
    }
    return object;
  }
  static bool IsEmpty(const std::map<std::string, T>& value) { return value.empty(); }
};

// A struct with a table of its own.
template <typename T>
requires requires {
  { T::Fields() } -> std::same_as<const StructTable&>;
}
struct Codec<T> {
  static Node Describe() { return Node(internal::DescribeStruct(T::Fields())); }
  static Status Decode(json::View view, T& value) {
    return internal::DecodeStruct(T::Fields(), view, &value);
  }
  static json::Value Encode(const T& value) { return internal::EncodeStruct(T::Fields(), &value); }
  static bool IsEmpty(const T&) { return false; }
};

}  // namespace hearth::api
