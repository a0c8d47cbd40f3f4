#include "field_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "field_text.h"

namespace hearth::generate {
namespace {

using schema::Property;
using schema::Rule;
using schema::Schema;

struct PlacedRule {
  std::string path;  // from the object whose section tells it
  const Rule& rule;
};

struct PlacedField {
  std::string path;
  const Schema& schema;
  bool required;
};

// What the section of one object tells.
struct Section {
  std::vector<PlacedField> fields;
  std::vector<PlacedRule> rules;
};

bool IsOwnObject(const Schema& schema) {
  return schema.kube_type.empty() && schema.type == schema::Type::kObject &&
         schema.additional_properties == nullptr && !schema.preserve_unknown_fields;
}

// A type of Kubernetes with fields of its own, which is not unfolded.
bool IsKubeObject(const Schema& schema) {
  return !schema.kube_type.empty() && schema.type == schema::Type::kObject;
}

// The steps from a list or map to what it holds: "[]", "{}", "[]{}".
std::string StepsToElement(const Schema& schema) {
  if (schema.items != nullptr) {
    return "[]" + StepsToElement(*schema.items);
  }
  return schema.additional_properties != nullptr
             ? "{}" + StepsToElement(*schema.additional_properties)
             : "";
}

std::string Joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

bool Requires(const Schema& object, const std::string& name) {
  return std::find(object.required.begin(), object.required.end(), name) != object.required.end();
}

void AddRules(const Schema& schema, const std::string& path, Section& section) {
  for (const Rule& rule : schema.rules) {
    section.rules.push_back({path, rule});
  }
}

// What was added to a type of Kubernetes, at any depth: rules, and fields that are described.
void AddAdditions(const Schema& schema, const std::string& path, Section& section) {
  AddRules(schema, path, section);
  for (const Property& property : schema.properties) {
    const std::string at = Joined(path, property.name);
    if (!property.schema->description.empty()) {
      section.fields.push_back({at, *property.schema, Requires(schema, property.name)});
    }
    AddAdditions(*property.schema, at, section);
  }
  if (schema.items != nullptr) {
    AddAdditions(*schema.items, path + "[]", section);
  }
  if (schema.additional_properties != nullptr) {
    AddAdditions(*schema.additional_properties, path + "{}", section);
  }
}

// Rules of a field, and of what it holds when that has no section of its own.
void AddRulesOfField(const Schema& schema, const std::string& path, Section& section) {
  const bool has_section = IsOwnObject(schema) || IsKubeObject(schema);
  if (!has_section) {
    AddRules(schema, path, section);
  }
  if (schema.items != nullptr) {
    AddRulesOfField(*schema.items, path + "[]", section);
  }
  if (schema.additional_properties != nullptr) {
    AddRulesOfField(*schema.additional_properties, path + "{}", section);
  }
}

Section SectionOf(const Schema& object) {
  Section section;
  if (IsKubeObject(object)) {
    AddAdditions(object, "", section);
    return section;
  }
  AddRules(object, "", section);
  for (const Property& property : object.properties) {
    section.fields.push_back({property.name, *property.schema, Requires(object, property.name)});
    AddRulesOfField(*property.schema, property.name, section);
  }
  return section;
}

bool HasSection(const Schema& element) {
  if (IsOwnObject(element)) {
    return !element.properties.empty() || !element.rules.empty();
  }
  const Section section = IsKubeObject(element) ? SectionOf(element) : Section{};
  return !section.fields.empty() || !section.rules.empty();
}

class Tables {
 public:
  explicit Tables(const schema::ResourceVersion& version) : version_(version) {}

  std::string Write() {
    WriteObject(*version_.schema, "");
    return std::move(out_);
  }

 private:
  std::string Anchor(const std::string& path) const {
    std::string anchor = version_.name;
    for (const char c : path.empty() ? "" : "." + path) {
      anchor += c == '.'               ? "-"
                : c == '[' || c == '{' ? "_"
                : c == ']' || c == '}' ? ""
                                       : std::string(1, c);
    }
    return anchor;
  }

  void WriteObject(const Schema& object, const std::string& path) {
    out_ += fmt::format("<a id=\"{}\"></a>\n\n### {}\n\n", Anchor(path),
                        path.empty() ? "The object" : Code(path));
    WriteIntroduction(object);
    const Section section = SectionOf(object);
    WriteFields(section, path);
    WriteRules(section);
    for (const PlacedField& field : section.fields) {
      const Schema& element = Element(field.schema);
      if (HasSection(element)) {
        WriteObject(element, Joined(path, field.path) + StepsToElement(field.schema));
      }
    }
  }

  void WriteIntroduction(const Schema& object) {
    if (!object.kube_type.empty()) {
      out_ += fmt::format("{} of Kubernetes, with this added:\n\n", Code(object.kube_type));
    } else if (!object.description.empty()) {
      out_ += Escaped(object.description) + "\n\n";
    }
  }

  void WriteFields(const Section& section, const std::string& path) {
    if (section.fields.empty()) {
      return;
    }
    out_ += "| Field | Type | Default | Values | What it is |\n|---|---|---|---|---|\n";
    for (const PlacedField& field : section.fields) {
      WriteField(field, path);
    }
    out_ += "\n";
  }

  void WriteField(const PlacedField& field, const std::string& path) {
    const Schema& schema = field.schema;
    // Kubernetes forbids a definition to say anything of it.
    const bool metadata = path.empty() && field.path == "metadata";
    out_ += fmt::format(
        "| {}{} | {} | {} | {} | {} |\n", Code(field.path), field.required ? " (required)" : "",
        metadata ? Code("meta.v1.ObjectMeta") : TypeOf(field, path),
        schema.default_value ? Code(schema.default_value->Write()) : "", ConstraintText(schema),
        metadata ? "Name, labels and whatever else every object has."
                 : Escaped(schema.description));
  }

  std::string TypeOf(const PlacedField& field, const std::string& path) const {
    const Schema& element = Element(field.schema);
    if (!HasSection(element)) {
      return TypeText(field.schema, "object");
    }
    const std::string link =
        "(#" + Anchor(Joined(path, field.path) + StepsToElement(field.schema)) + ")";
    const std::string type = TypeText(field.schema, "[object]" + link);
    return element.kube_type.empty() ? type : "[" + type + "]" + link;
  }

  void WriteRules(const Section& section) {
    if (section.rules.empty()) {
      return;
    }
    out_ += "Rules:\n\n";
    for (const PlacedRule& placed : section.rules) {
      WriteRule(placed);
    }
    out_ += "\n";
  }

  void WriteRule(const PlacedRule& placed) {
    const Rule& rule = placed.rule;
    std::string at = placed.path + rule.field_path;
    at = at.empty() ? "" : Code(at.substr(at[0] == '.' ? 1 : 0)) + ": ";
    out_ += fmt::format("- {}{}{}\n\n  ```cel\n  {}\n  ```\n", at,
                        rule.message.empty() ? "computed message" : Escaped(rule.message),
                        When(rule), rule.rule);
  }

  static std::string_view When(const Rule& rule) {
    if (rule.rule.starts_with("oldSelf.hasValue() ||")) {
      return " (when it is created)";
    }
    const bool of_changes = rule.rule.find("oldSelf") != std::string::npos;
    return of_changes && !rule.optional_old_self.value_or(false) ? " (when it is changed)" : "";
  }

  const schema::ResourceVersion& version_;
  std::string out_;
};

}  // namespace

std::string FieldTables(const schema::ResourceVersion& version) { return Tables(version).Write(); }

}  // namespace hearth::generate
