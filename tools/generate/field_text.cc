#include "field_text.h"

#include <fmt/format.h>

#include <limits>

#include "base/strings.h"
#include "schema/type_name.h"

namespace hearth::generate {
namespace {

using schema::ListType;
using schema::Schema;
using schema::Type;

std::string ScalarName(Type type) {
  const bool scalar = type != Type::kNone && type != Type::kObject && type != Type::kArray;
  return scalar ? std::string(schema::TypeName(type)) : "any";
}

// "core.v1.PodSpec" is a type of Kubernetes; "quantity" is a word of its own.
bool HasOwnReference(const std::string& type) { return type.find('.') != std::string::npos; }

// The size of integers is known to everybody.
bool IsSizeOfIntegers(const json::Value& bound) {
  using Limits = std::numeric_limits<int32_t>;
  return bound == json::Value(Limits::min()) || bound == json::Value(Limits::max());
}

std::string Range(const Schema& schema) {
  std::vector<std::string> parts;
  if (schema.minimum && !IsSizeOfIntegers(*schema.minimum)) {
    parts.push_back((schema.exclusive_minimum ? "more than " : "at least ") +
                    schema.minimum->Write());
  }
  if (schema.maximum && !IsSizeOfIntegers(*schema.maximum)) {
    parts.push_back((schema.exclusive_maximum ? "less than " : "at most ") +
                    schema.maximum->Write());
  }
  return Join(parts, ", ");
}

std::string Size(const std::optional<int64_t>& least, const std::optional<int64_t>& most,
                 const char* unit) {
  if (least && most) {
    return *least == *most ? fmt::format("{} {}", *least, unit)
                           : fmt::format("{} to {} {}", *least, *most, unit);
  }
  if (least == 1) {
    return "not empty";
  }
  if (least) {
    return fmt::format("at least {} {}", *least, unit);
  }
  return most ? fmt::format("at most {} {}", *most, unit) : "";
}

std::string Values(const Schema& schema) {
  std::vector<std::string> values;
  for (const json::Value& value : schema.enumeration) {
    values.push_back(Code(value.IsString() ? value.string() : value.Write()));
  }
  return Join(values, ", ");
}

std::string Identity(const Schema& schema) {
  switch (schema.list_type) {
    case ListType::kAtomic:
      return "replaced as a whole";
    case ListType::kSet:
      return "no item twice";
    case ListType::kMap: {
      std::vector<std::string> keys;
      for (const std::string& key : schema.list_map_keys) {
        keys.push_back(Code(key));
      }
      return "keyed by " + Join(keys, ", ");
    }
    case ListType::kNone:
      break;
  }
  return schema.map_type == schema::MapType::kAtomic ? "replaced as a whole" : "";
}

// The format of integers is their size.
std::string Format(const Schema& schema) {
  return schema.format.empty() || schema.type == Type::kInteger ? "" : "format " + schema.format;
}

std::string OwnConstraints(const Schema& schema) {
  std::vector<std::string> parts;
  for (std::string part :
       {Values(schema), Range(schema), Size(schema.min_length, schema.max_length, "characters"),
        Size(schema.min_items, schema.max_items, "items"),
        Size(schema.min_properties, schema.max_properties, "entries"), Format(schema),
        // A quantity's pattern says what everybody knows of quantities.
        schema.pattern.empty() || !schema.kube_type.empty() ? "" : Code(schema.pattern),
        Identity(schema), std::string(schema.nullable ? "may be null" : "")}) {
    if (!part.empty()) {
      parts.push_back(std::move(part));
    }
  }
  return Join(parts, "; ");
}

}  // namespace

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '`' || c == '\\') {
      out += '\\';
    }
    out += c == '\n' ? std::string(" ") : c == '<' ? std::string("&lt;") : std::string(1, c);
  }
  return out;
}

std::string Code(std::string_view text) {
  std::string fence = "`";
  while (text.find(fence) != std::string_view::npos) {
    fence += '`';
  }
  std::string out = fence + (fence.size() > 1 ? " " : "");
  for (const char c : text) {
    out += c == '|' ? std::string("\\|") : std::string(1, c);
  }
  return out + (fence.size() > 1 ? " " : "") + fence;
}

const Schema& Element(const Schema& schema) {
  if (schema.items != nullptr) {
    return Element(*schema.items);
  }
  return schema.additional_properties != nullptr ? Element(*schema.additional_properties) : schema;
}

std::string TypeText(const Schema& schema, const std::string& object) {
  if (!schema.kube_type.empty()) {
    return HasOwnReference(schema.kube_type) ? Code(schema.kube_type) : schema.kube_type;
  }
  if (schema.items != nullptr) {
    return "list of " + TypeText(*schema.items, object);
  }
  if (schema.additional_properties != nullptr) {
    return "map of string to " + TypeText(*schema.additional_properties, object);
  }
  if (schema.preserve_unknown_fields) {
    return schema.type == Type::kObject ? "any object" : "anything";
  }
  return schema.type == Type::kObject ? object : ScalarName(schema.type);
}

std::string ConstraintText(const Schema& schema) {
  std::string own = OwnConstraints(schema);
  const Schema& element = Element(schema);
  // What everybody knows of Kubernetes' own types is not said.
  const bool told = &element != &schema && element.kube_type.empty();
  const std::string each = told ? OwnConstraints(element) : "";
  if (each.empty()) {
    return own;
  }
  return own + (own.empty() ? "" : "; ") + "each " + each;
}

}  // namespace hearth::generate
