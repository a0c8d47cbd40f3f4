#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "schema/internal/go_text.h"
#include "schema/internal/number.h"
#include "schema/internal/value_checks.h"

namespace hearth::schema::internal {
namespace {

using json::Value;

int64_t CodePoints(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

// "spec.x in body should ...", invalid.
void Should(const FieldPath& path, std::string value_text, std::string_view what,
            ErrorList& errors) {
  errors.Add({ErrorType::kInvalid, OpenApiPath(path), std::move(value_text),
              fmt::format("{} in body should {}", path.ToDotted(), what)});
}

// A bound as the server sees it beside this value: cut to a whole number for whole numbers.
struct Bounded {
  int order;  // value against bound: negative, 0, positive
  std::string text;
};

Bounded Compare(const Number& value, double bound) {
  if (value.is_int) {
    const int64_t whole = TruncateToInt(bound);
    return {value.integer < whole ? -1 : value.integer > whole ? 1 : 0, std::to_string(whole)};
  }
  return {value.real < bound ? -1 : value.real > bound ? 1 : 0, GoText(bound)};
}

void CheckMultiple(const Node& node, const Number& value, const FieldPath& path,
                   ErrorList& errors) {
  const double factor = *node.multiple_of;
  const int64_t whole = TruncateToInt(factor);
  if (value.is_int ? whole <= 0 : factor <= 0) {
    const std::string text = value.is_int ? std::to_string(whole) : GoText(factor);
    errors.Add({ErrorType::kInvalid, OpenApiPath(path), text,
                fmt::format("factor MultipleOf declared for {} must be positive: {}",
                            path.ToDotted(), text)});
    return;
  }
  const bool multiple =
      value.is_int ? value.integer % whole == 0
                   : IsJsonInteger(factor < 1 ? 1 / factor * value.real : value.real / factor);
  if (!multiple && errors.Wants()) {
    Should(path, GoText(value),
           "be a multiple of " + (value.is_int ? std::to_string(whole) : GoText(factor)), errors);
  }
}

}  // namespace

void CheckString(const Node& node, const std::string& text, const FieldPath& path,
                 ErrorList& errors) {
  const Schema& schema = node.schema;
  const int64_t length = schema.max_length || schema.min_length ? CodePoints(text) : 0;
  if (schema.max_length && length > *schema.max_length) {
    FieldError error = TooLong(path, *schema.max_length);
    error.path = OpenApiPath(path);
    errors.Add(std::move(error));
  } else if (schema.min_length && length < *schema.min_length) {
    Should(path, QuotedText(text), fmt::format("be at least {} chars long", *schema.min_length),
           errors);
  } else if (node.pattern != nullptr && !node.pattern->Matches(text)) {
    if (errors.Wants()) {
      Should(path, QuotedText(text), "match '" + schema.pattern + "'", errors);
    }
  }
}

void CheckFormat(const Node& node, const std::string& text, const FieldPath& path,
                 ErrorList& errors) {
  if (!node.format(text) && errors.Wants()) {
    errors.Add({ErrorType::kTypeInvalid, OpenApiPath(path), QuotedText(text),
                fmt::format("{} in body must be of type {}: {}", path.ToDotted(),
                            node.schema.format, QuotedText(text))});
  }
}

void CheckNumber(const Node& node, const Value& value, const FieldPath& path, ErrorList& errors) {
  if (!node.multiple_of && !node.minimum && !node.maximum) {
    return;
  }
  const Number number = ReadNumber(value.number());
  if (node.multiple_of) {
    CheckMultiple(node, number, path, errors);
  }
  if (node.minimum) {
    const Bounded at = Compare(number, *node.minimum);
    const bool exclusive = node.schema.exclusive_minimum;
    if (at.order < 0 || (exclusive && at.order == 0)) {
      Should(path, GoText(number),
             (exclusive ? "be greater than " : "be greater than or equal to ") + at.text, errors);
    }
  }
  if (node.maximum) {
    const Bounded at = Compare(number, *node.maximum);
    const bool exclusive = node.schema.exclusive_maximum;
    if (at.order > 0 || (exclusive && at.order == 0)) {
      Should(path, GoText(number),
             (exclusive ? "be less than " : "be less than or equal to ") + at.text, errors);
    }
  }
}

void CheckItemCount(const Node& node, size_t count, const FieldPath& path, ErrorList& errors) {
  const auto size = static_cast<int64_t>(count);
  const Schema& schema = node.schema;
  if (schema.min_items && size < *schema.min_items) {
    Should(path, std::to_string(size), fmt::format("have at least {} items", *schema.min_items),
           errors);
  }
  if (schema.max_items && size > *schema.max_items) {
    errors.Add({ErrorType::kTooMany, OpenApiPath(path), std::to_string(size),
                fmt::format("must have at most {} {}", *schema.max_items,
                            *schema.max_items == 1 ? "item" : "items")});
  }
}

void CheckMemberCount(const Node& node, size_t count, const FieldPath& path, ErrorList& errors) {
  const auto size = static_cast<int64_t>(count);
  const Schema& schema = node.schema;
  if (schema.min_properties && size < *schema.min_properties) {
    Should(path, std::to_string(size),
           fmt::format("have at least {} properties", *schema.min_properties), errors);
  }
  if (schema.max_properties && size > *schema.max_properties) {
    errors.Add({ErrorType::kTooMany, OpenApiPath(path), std::to_string(size),
                fmt::format("must have at most {} {}", *schema.max_properties,
                            *schema.max_properties == 1 ? "item" : "items")});
  }
}

}  // namespace hearth::schema::internal
