#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "schema/schema.h"

namespace hearth::schema {

// A column of kubectl get.
struct PrinterColumn {
  std::string name;
  std::string type;  // "string", "integer", "date", ...
  std::string json_path;
  int priority = 0;  // above 0: only with -o wide
  std::string description;
  std::string format;
};

struct ScaleSubresource {
  std::string spec_path;  // ".spec.replicas"
  std::string status_path;
  std::string selector_path;  // may be empty
};

struct ResourceVersion {
  std::string name;
  bool served = true;
  bool storage = false;
  bool deprecated = false;
  std::string deprecation_warning;  // the server's own words when empty
  SchemaPtr schema;
  std::vector<PrinterColumn> columns;
  bool status_subresource = false;
  std::optional<ScaleSubresource> scale;
  std::vector<std::string> selectable_fields;  // JSON paths
};

struct ConversionWebhook {
  std::string service_namespace;
  std::string service_name;
  std::string path;
  std::optional<int> port;
  std::string url;        // instead of a service
  std::string ca_bundle;  // base64
  std::vector<std::string> review_versions;
};

using StringPairs = std::vector<std::pair<std::string, std::string>>;

// A kind of custom resource, as one CustomResourceDefinition tells the API server.
struct ResourceDefinition {
  std::string group;
  std::string kind;
  std::string plural;
  std::string singular;   // the kind in lower case when empty
  std::string list_kind;  // kind + "List" when empty
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = true;
  StringPairs annotations;
  StringPairs labels;
  std::vector<ResourceVersion> versions;
  std::optional<ConversionWebhook> conversion;

  std::string Name() const { return plural + "." + group; }
};

// The definition as it is applied, members in a fixed order: what generated manifests are made of.
json::Value ToCrd(const ResourceDefinition& definition);
// kInvalid names the place of what is missing, wrong or, in the schema, not known. Status is left
// out.
Result<ResourceDefinition> FromCrd(const json::Value& crd);

}  // namespace hearth::schema
