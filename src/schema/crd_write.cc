#include <algorithm>
#include <cctype>

#include "schema/crd.h"

namespace hearth::schema {
namespace {

using json::Value;

void SetText(Value& object, std::string_view name, const std::string& text) {
  if (!text.empty()) {
    object.Set(name, text);
  }
}

void SetStrings(Value& object, std::string_view name, const std::vector<std::string>& strings) {
  if (!strings.empty()) {
    object.Set(name, Value::FromItems({strings.begin(), strings.end()}));
  }
}

void SetPairs(Value& object, std::string_view name, const StringPairs& pairs) {
  if (!pairs.empty()) {
    Value map = Value::Object();
    for (const auto& [key, value] : pairs) {
      map.Set(key, value);
    }
    object.Set(name, std::move(map));
  }
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Value Names(const ResourceDefinition& definition) {
  Value names = Value::Object();
  names.Set("kind", definition.kind);
  names.Set("listKind",
            definition.list_kind.empty() ? definition.kind + "List" : definition.list_kind);
  names.Set("plural", definition.plural);
  names.Set("singular", definition.singular.empty() ? Lower(definition.kind) : definition.singular);
  SetStrings(names, "shortNames", definition.short_names);
  SetStrings(names, "categories", definition.categories);
  return names;
}

Value Column(const PrinterColumn& column) {
  Value out = Value::Object({{"name", column.name}, {"type", column.type}});
  SetText(out, "format", column.format);
  SetText(out, "description", column.description);
  if (column.priority != 0) {
    out.Set("priority", column.priority);
  }
  out.Set("jsonPath", column.json_path);
  return out;
}

Value Subresources(const ResourceVersion& version) {
  Value out = Value::Object();
  if (version.status_subresource) {
    out.Set("status", Value::Object());
  }
  if (version.scale) {
    Value scale = Value::Object({{"specReplicasPath", version.scale->spec_path},
                                 {"statusReplicasPath", version.scale->status_path}});
    SetText(scale, "labelSelectorPath", version.scale->selector_path);
    out.Set("scale", std::move(scale));
  }
  return out;
}

Value Version(const ResourceVersion& version) {
  Value out = Value::Object(
      {{"name", version.name}, {"served", version.served}, {"storage", version.storage}});
  if (version.deprecated) {
    out.Set("deprecated", true);
    SetText(out, "deprecationWarning", version.deprecation_warning);
  }
  if (!version.columns.empty()) {
    Value columns = Value::Array();
    for (const PrinterColumn& column : version.columns) {
      columns.Append(Column(column));
    }
    out.Set("additionalPrinterColumns", std::move(columns));
  }
  if (!version.selectable_fields.empty()) {
    Value fields = Value::Array();
    for (const std::string& path : version.selectable_fields) {
      fields.Append(Value::Object({{"jsonPath", path}}));
    }
    out.Set("selectableFields", std::move(fields));
  }
  if (version.status_subresource || version.scale) {
    out.Set("subresources", Subresources(version));
  }
  if (version.schema != nullptr) {
    out.Set("schema", Value::Object({{"openAPIV3Schema", ToJson(*version.schema)}}));
  }
  return out;
}

Value Conversion(const ConversionWebhook& webhook) {
  Value config = Value::Object();
  if (webhook.url.empty()) {
    Value service =
        Value::Object({{"namespace", webhook.service_namespace}, {"name", webhook.service_name}});
    SetText(service, "path", webhook.path);
    if (webhook.port) {
      service.Set("port", *webhook.port);
    }
    config.Set("service", std::move(service));
  } else {
    config.Set("url", webhook.url);
  }
  SetText(config, "caBundle", webhook.ca_bundle);
  Value out = Value::Object({{"clientConfig", std::move(config)}});
  SetStrings(out, "conversionReviewVersions", webhook.review_versions);
  return Value::Object({{"strategy", "Webhook"}, {"webhook", std::move(out)}});
}

}  // namespace

Value ToCrd(const ResourceDefinition& definition) {
  Value metadata = Value::Object({{"name", definition.Name()}});
  SetPairs(metadata, "labels", definition.labels);
  SetPairs(metadata, "annotations", definition.annotations);
  Value versions = Value::Array();
  for (const ResourceVersion& version : definition.versions) {
    versions.Append(Version(version));
  }
  Value spec = Value::Object({{"group", definition.group},
                              {"names", Names(definition)},
                              {"scope", definition.namespaced ? "Namespaced" : "Cluster"}});
  if (definition.conversion) {
    spec.Set("conversion", Conversion(*definition.conversion));
  }
  spec.Set("versions", std::move(versions));
  return Value::Object({{"apiVersion", "apiextensions.k8s.io/v1"},
                        {"kind", "CustomResourceDefinition"},
                        {"metadata", std::move(metadata)},
                        {"spec", std::move(spec)}});
}

}  // namespace hearth::schema
