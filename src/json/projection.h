#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/check.h"
#include "json/field_set.h"
#include "json/int_or_string.h"
#include "json/quantity.h"
#include "json/time.h"
#include "json/view.h"

// A reconciler says once which fields it reads:
//
//   using Widget = json::Projection<json::Field<"spec.replicas", int64_t>,
//                                   json::Field<"spec.image", std::string>,
//                                   json::Field<"status.ready", int64_t, json::Wake::kNo>>;
//
// From that come what the cache keeps (Widget::Fields()), what wakes the reconciler (a change of a
// field that is not Wake::kNo), and typed access, checked by the compiler:
//
//   Widget widget(view);
//   widget.get<"spec.replicas">()          // std::optional<int64_t>
//   widget.get<"spec.replicsa">()          // does not compile
namespace hearth::json {

// A string as a template argument.
template <size_t N>
struct FieldPath {
  char text[N] = {};
  consteval FieldPath(const char (&literal)[N]) {  // NOLINT(google-explicit-constructor)
    std::copy_n(literal, N, text);
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

enum class Wake { kYes, kNo };

template <FieldPath kPath, typename T, Wake kWake = Wake::kYes>
struct Field {
  using Type = T;
  static constexpr std::string_view path = kPath.view();
  static constexpr Wake wake = kWake;
};

// Finds the value at a path without "[]" below `object`.
View Resolve(View object, std::string_view path);

// A view as T, nothing when absent or of another kind. T: bool, int64_t, double, std::string,
// std::string_view (a plain string, borrowed), View, Quantity, IntOrString, Time.
template <typename T>
std::optional<T> Read(View view);
template <>
std::optional<bool> Read(View view);
template <>
std::optional<int64_t> Read(View view);
template <>
std::optional<double> Read(View view);
template <>
std::optional<std::string> Read(View view);
template <>
std::optional<std::string_view> Read(View view);
template <>
std::optional<View> Read(View view);
template <>
std::optional<Quantity> Read(View view);
template <>
std::optional<IntOrString> Read(View view);
template <>
std::optional<Time> Read(View view);

template <typename... Fields_>
class Projection {
 public:
  explicit Projection(View object) : object_(object) {}

  // Reading a field that was not declared does not compile.
  template <FieldPath kPath>
  auto get() const {
    constexpr bool kDeclared = ((Fields_::path == kPath.view()) || ...);
    static_assert(kDeclared,
                  "this field is not declared in the projection, so the cache does not keep it");
    using T = typename Find<kPath, Fields_...>::Type;
    return Read<T>(Resolve(object_, kPath.view()));
  }

  View view() const { return object_; }

  // What a cache keeps for this projection.
  static FieldSet Fields() {
    FieldSet fields;
    (AddTo(fields, Fields_::path, Fields_::wake), ...);
    return fields;
  }

 private:
  template <FieldPath kPath, typename First, typename... Rest>
  struct Find : std::conditional_t<First::path == kPath.view(), First, Find<kPath, Rest...>> {};
  template <FieldPath kPath, typename First>
  struct Find<kPath, First> : First {};

  static void AddTo(FieldSet& fields, std::string_view path, Wake wake) {
    const Status added =
        fields.Add(path, wake == Wake::kYes ? FieldSet::Mark::kKept : FieldSet::Mark::kSilent);
    CHECK(added.ok()) << added.ToString();
  }

  View object_;
};

}  // namespace hearth::json
