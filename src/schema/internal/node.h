#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/formats.h"
#include "schema/internal/pattern.h"
#include "schema/schema.h"

namespace hearth::schema::internal {

// A schema made ready to be checked against: formats and properties looked up.
// Points into the schema, which must outlive it; never changed after it is made.
struct Node {
  explicit Node(const Schema& schema);

  const Schema& schema;
  FormatCheck format = nullptr;  // null also for a format that asks nothing
  std::unique_ptr<Pattern> pattern;
  std::optional<double> minimum;
  std::optional<double> maximum;
  std::optional<double> multiple_of;

  std::vector<std::pair<std::string_view, std::unique_ptr<Node>>> properties;  // by name
  std::unique_ptr<Node> items;
  std::unique_ptr<Node> additional;
  std::vector<std::unique_ptr<Node>> all_of;
  std::vector<std::unique_ptr<Node>> any_of;
  std::vector<std::unique_ptr<Node>> one_of;
  std::unique_ptr<Node> negation;

  // What is to be looked for here or below; walks leave out the rest.
  bool has_rules = false;
  bool has_keyed_lists = false;  // of type set or map
  bool has_embedded = false;

  bool HasAlternatives() const {
    return !all_of.empty() || !any_of.empty() || !one_of.empty() || negation != nullptr;
  }
  const Node* Property(std::string_view name) const;  // null when there is none
  // The property, or else what additionalProperties says.
  const Node* Member(std::string_view name) const {
    const Node* property = Property(name);
    return property != nullptr ? property : additional.get();
  }
  bool Allows(Type type) const {
    return schema.int_or_string ? type == Type::kInteger || type == Type::kString
                                : schema.type == type;
  }
  bool HasType() const { return schema.int_or_string || schema.type != Type::kNone; }
};

}  // namespace hearth::schema::internal
