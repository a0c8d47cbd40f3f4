#include "api/table/codec.h"

#include <fmt/format.h>

#include <limits>

#include "api/table/struct_table.h"
#include "base/strings.h"

namespace hearth::api {
namespace internal {

Status WrongKind(json::View view, std::string_view expected) {
  return InvalidError(fmt::format("is {}, expected {}", Excerpt(view.raw(), 60), expected));
}

// Messages read "spec.components[2].replicas is ...": the path grows from the inside out.
Status AtMember(Status status, const std::string& name) {
  const std::string_view inner = status.message();
  const bool path_goes_on = !inner.starts_with("is ");
  const bool is_index = inner.starts_with("[");
  return InvalidError(fmt::format("{}{}{}", name,
                                  !path_goes_on ? " "
                                  : is_index    ? ""
                                                : ".",
                                  inner));
}

Status AtItem(Status status, size_t index) {
  const std::string_view inner = status.message();
  const bool is_end = inner.starts_with("is ");
  const bool is_index = inner.starts_with("[");
  return InvalidError(fmt::format("[{}]{}{}", index, is_end ? " " : is_index ? "" : ".", inner));
}

schema::Schema DescribeStruct(const StructTable& table) { return *table.schema(); }

Status DecodeStruct(const StructTable& table, json::View view, void* object) {
  return table.Decode(view, object);
}

json::Value EncodeStruct(const StructTable& table, const void* object) {
  return table.Encode(object);
}

Status DecodeInteger(json::View view, int64_t min, int64_t max, int64_t& value) {
  const auto number = view.Int();
  if (!number || *number < min || *number > max) {
    return WrongKind(view, fmt::format("an integer from {} to {}", min, max));
  }
  value = *number;
  return {};
}

}  // namespace internal

Status Codec<std::string>::Decode(json::View view, std::string& value) {
  if (internal::Absent(view)) {
    return {};
  }
  auto text = view.String();
  if (!text) {
    return internal::WrongKind(view, "a string");
  }
  value = std::move(*text);
  return {};
}

Status Codec<bool>::Decode(json::View view, bool& value) {
  if (internal::Absent(view)) {
    return {};
  }
  const auto truth = view.Bool();
  if (!truth) {
    return internal::WrongKind(view, "true or false");
  }
  value = *truth;
  return {};
}

Status Codec<int32_t>::Decode(json::View view, int32_t& value) {
  if (internal::Absent(view)) {
    return {};
  }
  using Limits = std::numeric_limits<int32_t>;
  int64_t number = 0;
  RETURN_IF_ERROR(internal::DecodeInteger(view, Limits::min(), Limits::max(), number));
  value = static_cast<int32_t>(number);
  return {};
}

Status Codec<int64_t>::Decode(json::View view, int64_t& value) {
  using Limits = std::numeric_limits<int64_t>;
  return internal::Absent(view)
             ? Status()
             : internal::DecodeInteger(view, Limits::min(), Limits::max(), value);
}

Status Codec<json::Value>::Decode(json::View view, json::Value& value) {
  if (!internal::Absent(view)) {
    value = json::Value(view);
  }
  return {};
}

}  // namespace hearth::api
