#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/schema.h"

namespace hearth::api {

// A schema under construction, written as one chain beside the field it belongs to:
//   Integer32().Min(1).Default(1)
class Node {
 public:
  Node() = default;
  explicit Node(schema::Schema schema) : schema_(std::move(schema)) {}
  explicit Node(const schema::SchemaPtr& schema) : schema_(*schema) {}

  Node& Doc(std::string text);
  Node& Default(json::Value value);
  Node& Nullable();
  Node& Enum(std::initializer_list<std::string_view> values);
  Node& Min(int64_t value);
  Node& Max(int64_t value);
  Node& MinLength(int64_t value);
  Node& MaxLength(int64_t value);
  Node& Pattern(std::string pattern);
  Node& MinItems(int64_t value);
  Node& MaxItems(int64_t value);
  Node& MaxProperties(int64_t value);
  Node& Atomic();                                             // a list or map replaced as a whole
  Node& Set();                                                // a list without equals
  Node& MapBy(std::initializer_list<std::string_view> keys);  // a list keyed by these fields
  Node& Format(std::string format);
  Node& PreserveUnknown();
  // A CEL rule on this node.
  Node& Rule(std::string rule, std::string message);
  Node& Rule(schema::Rule rule);
  // For list items: rules, lengths and the like that belong to each.
  Node& Items(const Node& items);

  const schema::Schema& schema() const { return schema_; }
  schema::SchemaPtr Share() const { return std::make_shared<const schema::Schema>(schema_); }

 private:
  schema::Schema schema_;
};

Node String();
Node Boolean();
Node Integer32();
Node Integer64();
Node Number();
Node Quantity();     // "500m", 2, "1Gi"
Node IntOrString();  // 8080, "http"
Node Timestamp();
Node DnsLabel();  // 1 to 63 characters, lower case
Node ListOf(const Node& items);
Node MapOf(const Node& values);
Node StringMap();
// Any object: unknown members are kept, nothing is checked.
Node FreeForm();
// One of Kubernetes' own types, "core.v1.PodTemplateSpec".
Node Kube(std::string_view type);

}  // namespace hearth::api
