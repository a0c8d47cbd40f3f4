#include <fmt/format.h>

#include "schema/crd.h"
#include "schema/field_path.h"

namespace hearth::schema {
namespace {

using json::Value;

Status Wrong(const FieldPath& path, std::string_view what) {
  return InvalidError(fmt::format("{}: {}", path.ToString(), what));
}

// Reads members of one object; the first fault stays, and reading goes on harmlessly.
class Reader {
 public:
  Reader(const Value& object, const FieldPath& path) : object_(object), path_(path) {
    if (!object.IsObject()) {
      status_ = Wrong(path, "must be an object");
    }
  }

  const Value* Find(std::string_view name) const {
    const Value* value = object_.Find(name);
    return value == nullptr || value->IsNull() ? nullptr : value;
  }
  std::string Text(std::string_view name, bool required = false) {
    const Value* value = Find(name);
    if (value == nullptr && !required) {
      return "";
    }
    if (value == nullptr || !value->IsString()) {
      Fail(name, "must be a string");
      return "";
    }
    return value->string();
  }
  bool Flag(std::string_view name) {
    const Value* value = Find(name);
    if (value != nullptr && value->kind() != json::Kind::kBool) {
      Fail(name, "must be true or false");
      return false;
    }
    return value != nullptr && value->boolean();
  }
  std::optional<int> Number(std::string_view name) {
    const Value* value = Find(name);
    if (value == nullptr) {
      return std::nullopt;
    }
    if (!value->Int()) {
      Fail(name, "must be an integer");
      return std::nullopt;
    }
    return static_cast<int>(*value->Int());
  }
  std::vector<std::string> Strings(std::string_view name) {
    std::vector<std::string> strings;
    for (const Value& item : List(name)) {
      if (item.IsString()) {
        strings.push_back(item.string());
      } else {
        Fail(name, "must be a list of strings");
      }
    }
    return strings;
  }
  StringPairs Pairs(std::string_view name) {
    StringPairs pairs;
    const Value* map = Find(name);
    if (map != nullptr && map->IsObject()) {
      for (const auto& [key, value] : map->members()) {
        pairs.emplace_back(key, value.StringOr(""));
      }
    }
    return pairs;
  }
  const Value::Items& List(std::string_view name) {
    static const Value::Items kNone;
    const Value* value = Find(name);
    if (value != nullptr && !value->IsArray()) {
      Fail(name, "must be a list");
    }
    return value != nullptr && value->IsArray() ? value->items() : kNone;
  }
  void Fail(std::string_view name, std::string_view what) { Keep(Wrong(path_.Child(name), what)); }
  void Keep(const Status& status) {
    if (status_.ok()) {
      status_ = status;
    }
  }
  const Status& status() const { return status_; }
  const FieldPath& path() const { return path_; }

 private:
  const Value& object_;
  const FieldPath& path_;
  Status status_;
};

PrinterColumn ReadColumn(Reader& in) {
  return {.name = in.Text("name", true),
          .type = in.Text("type", true),
          .json_path = in.Text("jsonPath", true),
          .priority = in.Number("priority").value_or(0),
          .description = in.Text("description"),
          .format = in.Text("format")};
}

Status ReadSubresources(const Value& value, const FieldPath& path, ResourceVersion& version) {
  Reader in(value, path);
  version.status_subresource = in.Find("status") != nullptr;
  if (const Value* scale = in.Find("scale")) {
    const FieldPath at = path.Child("scale");
    Reader inner(*scale, at);
    version.scale =
        ScaleSubresource{inner.Text("specReplicasPath", true),
                         inner.Text("statusReplicasPath", true), inner.Text("labelSelectorPath")};
    in.Keep(inner.status());
  }
  return in.status();
}

Status ReadLists(Reader& in, ResourceVersion& version) {
  const FieldPath columns = in.path().Child("additionalPrinterColumns");
  for (const Value& column : in.List("additionalPrinterColumns")) {
    Reader inner(column, columns);
    version.columns.push_back(ReadColumn(inner));
    RETURN_IF_ERROR(inner.status());
  }
  const FieldPath fields = in.path().Child("selectableFields");
  for (const Value& field : in.List("selectableFields")) {
    Reader inner(field, fields);
    version.selectable_fields.push_back(inner.Text("jsonPath", true));
    RETURN_IF_ERROR(inner.status());
  }
  return in.status();
}

Result<ResourceVersion> ReadVersion(const Value& value, const FieldPath& path) {
  Reader in(value, path);
  ResourceVersion version{.name = in.Text("name", true),
                          .served = in.Flag("served"),
                          .storage = in.Flag("storage"),
                          .deprecated = in.Flag("deprecated"),
                          .deprecation_warning = in.Text("deprecationWarning")};
  RETURN_IF_ERROR(ReadLists(in, version));
  if (const Value* subresources = in.Find("subresources")) {
    RETURN_IF_ERROR(ReadSubresources(*subresources, path.Child("subresources"), version));
  }
  const Value* schema = value.FindPath("schema.openAPIV3Schema");
  if (schema == nullptr) {
    return Wrong(path, "schema.openAPIV3Schema is missing");
  }
  const std::string schema_place = path.ToString() + ".schema";
  ASSIGN_OR_RETURN(version.schema, FromJson(*schema).WithContext(schema_place));
  return version;
}

Result<ConversionWebhook> ReadWebhook(const Value& value, const FieldPath& path) {
  Reader in(value, path);
  ConversionWebhook webhook{.review_versions = in.Strings("conversionReviewVersions")};
  if (const Value* config = in.Find("clientConfig")) {
    Reader client(*config, path);
    webhook.url = client.Text("url");
    webhook.ca_bundle = client.Text("caBundle");
    if (const Value* target = client.Find("service")) {
      Reader service(*target, path);
      webhook.service_namespace = service.Text("namespace", true);
      webhook.service_name = service.Text("name", true);
      webhook.path = service.Text("path");
      webhook.port = service.Number("port");
      in.Keep(service.status());
    }
    in.Keep(client.status());
  }
  RETURN_IF_ERROR(in.status());
  return webhook;
}

Status ReadNames(const Value* value, const FieldPath& path, ResourceDefinition& definition) {
  static const Value kNull;
  Reader in(value == nullptr ? kNull : *value, path);
  definition.kind = in.Text("kind", true);
  definition.plural = in.Text("plural", true);
  definition.singular = in.Text("singular");
  definition.list_kind = in.Text("listKind");
  definition.short_names = in.Strings("shortNames");
  definition.categories = in.Strings("categories");
  return in.status();
}

Status ReadSpec(const Value& value, const FieldPath& path, ResourceDefinition& definition) {
  Reader in(value, path);
  definition.group = in.Text("group", true);
  const std::string scope = in.Text("scope", true);
  if (scope != "Namespaced" && scope != "Cluster") {
    in.Fail("scope", "must be Namespaced or Cluster");
  }
  definition.namespaced = scope == "Namespaced";
  RETURN_IF_ERROR(ReadNames(in.Find("names"), path.Child("names"), definition));
  const FieldPath versions = path.Child("versions");
  const Value::Items& items = in.List("versions");
  for (size_t i = 0; i < items.size(); ++i) {
    ASSIGN_OR_RETURN(definition.versions.emplace_back(), ReadVersion(items[i], versions.Item(i)));
  }
  if (const Value* webhook = value.FindPath("conversion.webhook")) {
    ASSIGN_OR_RETURN(definition.conversion, ReadWebhook(*webhook, path.Child("conversion")));
  }
  return in.status();
}

}  // namespace

Result<ResourceDefinition> FromCrd(const Value& crd) {
  const Value* kind = crd.Find("kind");
  if (kind == nullptr || kind->StringOr("") != "CustomResourceDefinition") {
    return InvalidError("kind: must be CustomResourceDefinition");
  }
  const Value* spec = crd.Find("spec");
  if (spec == nullptr) {
    return InvalidError("spec: is missing");
  }
  ResourceDefinition definition;
  if (const Value* metadata = crd.Find("metadata")) {
    const FieldPath path = FieldPath::Base("metadata");
    Reader in(*metadata, path);
    definition.labels = in.Pairs("labels");
    definition.annotations = in.Pairs("annotations");
    RETURN_IF_ERROR(in.status());
  }
  RETURN_IF_ERROR(ReadSpec(*spec, FieldPath::Base("spec"), definition));
  return definition;
}

}  // namespace hearth::schema
