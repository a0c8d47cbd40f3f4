#include "json/projection.h"

#include "json/internal/field_path.h"

namespace hearth::json {
namespace {

template <typename T>
std::optional<T> ToOptional(Result<T> result) {
  return result.ok() ? std::optional<T>(std::move(result).value()) : std::nullopt;
}

// Parses a string through T::Parse.
template <typename T>
std::optional<T> ParseText(View view) {
  if (const auto plain = view.PlainString()) {
    return ToOptional(T::Parse(*plain));
  }
  return ToOptional(T::Parse(view.StringOr("")));
}

}  // namespace

View Resolve(View object, std::string_view path) {
  internal::FieldPathReader steps(path);
  while (object.exists() && steps.Next()) {
    object = steps.is_element() ? View() : object[steps.name()];
  }
  return steps.malformed() ? View() : object;
}

template <>
std::optional<bool> Read(View view) {
  return view.Bool();
}

template <>
std::optional<int64_t> Read(View view) {
  return view.Int();
}

template <>
std::optional<double> Read(View view) {
  return view.Double();
}

template <>
std::optional<std::string> Read(View view) {
  return view.String();
}

template <>
std::optional<std::string_view> Read(View view) {
  return view.PlainString();
}

template <>
std::optional<View> Read(View view) {
  return view.exists() ? std::optional<View>(view) : std::nullopt;
}

template <>
std::optional<Quantity> Read(View view) {
  // Written as a string mostly, but 1 is a quantity too.
  if (view.IsNumber()) {
    return ToOptional(Quantity::Parse(view.raw()));
  }
  return view.IsString() ? ParseText<Quantity>(view) : std::nullopt;
}

template <>
std::optional<IntOrString> Read(View view) {
  return view.exists() ? ToOptional(IntOrString::From(view)) : std::nullopt;
}

template <>
std::optional<Time> Read(View view) {
  return view.IsString() ? ParseText<Time>(view) : std::nullopt;
}

}  // namespace hearth::json
