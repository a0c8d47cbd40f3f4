#include "reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "field_tables.h"
#include "field_text.h"

namespace hearth::generate {
namespace {

using schema::PrinterColumn;
using schema::ResourceDefinition;
using schema::ResourceVersion;

constexpr const char* kHeader =
    "<!-- Made by tools/generate from the field tables in src/api; change those instead. -->\n\n";
constexpr const char* kDirectory = "docs/reference/";

std::string FileName(const ResourceDefinition& definition) {
  std::string name = definition.kind;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return name + ".md";
}

std::string Codes(const std::vector<std::string>& words) {
  std::vector<std::string> codes(words.size());
  std::transform(words.begin(), words.end(), codes.begin(), Code);
  return Join(codes, ", ");
}

const std::string& Description(const ResourceDefinition& definition) {
  return definition.versions.back().schema->description;
}

std::string Scope(const ResourceDefinition& definition) {
  return definition.namespaced ? "namespaced" : "cluster";
}

std::string Facts(const ResourceDefinition& definition) {
  std::string out = "| | |\n|---|---|\n";
  const auto add = [&out](const char* name, const std::string& value) {
    out += value.empty() ? "" : fmt::format("| {} | {} |\n", name, value);
  };
  add("Group", Code(definition.group));
  add("Resource", Code(definition.plural));
  add("Short names", Codes(definition.short_names));
  add("Categories", Codes(definition.categories));
  add("Scope", Scope(definition));
  add("Conversion", definition.conversion ? "by the operator's webhook" : "");
  return out + "\n";
}

std::string SubResources(const ResourceVersion& version) {
  std::vector<std::string> parts;
  if (version.status_subresource) {
    parts.push_back(Code("status"));
  }
  if (version.scale) {
    parts.push_back(fmt::format(
        "{} ({}, {}{})", Code("scale"), Code(version.scale->spec_path),
        Code(version.scale->status_path),
        version.scale->selector_path.empty() ? "" : ", " + Code(version.scale->selector_path)));
  }
  return Join(parts, ", ");
}

std::string State(const ResourceVersion& version) {
  std::vector<std::string> words;
  for (const auto& [word, applies] : {std::pair("stored", version.storage),
                                      {"served", version.served},
                                      {"deprecated", version.deprecated}}) {
    if (applies) {
      words.emplace_back(word);
    }
  }
  return Join(words, ", ");
}

std::string Versions(const ResourceDefinition& definition) {
  std::string out =
      "## Versions\n\n| Version | State | Sub-resources | Selectable fields |\n|---|---|---|---|\n";
  for (const ResourceVersion& version : definition.versions) {
    out += fmt::format("| [{}](#{}) | {} | {} | {} |\n", Code(version.name), version.name,
                       State(version), SubResources(version), Codes(version.selectable_fields));
  }
  return out + "\n";
}

// The columns of the stored version; the others have the same.
std::string Columns(const ResourceDefinition& definition) {
  const auto stored = std::find_if(definition.versions.begin(), definition.versions.end(),
                                   [](const ResourceVersion& version) { return version.storage; });
  std::string out =
      "## Columns of kubectl get\n\n| Column | From | What it tells |\n|---|---|---|\n";
  for (const PrinterColumn& column : stored->columns) {
    out += fmt::format("| {}{} | {} | {} |\n", column.name,
                       column.priority > 0 ? " (with `-o wide`)" : "", Code(column.json_path),
                       Escaped(column.description));
  }
  return out + "\n";
}

std::string VersionPart(const ResourceDefinition& definition, const ResourceVersion& version) {
  std::string out = fmt::format("## {}\n\n", version.name);
  if (version.deprecated) {
    out += "Deprecated. The API server says so to whoever uses it: " +
           Escaped(version.deprecation_warning) + ".\n\n";
  }
  return out +
         fmt::format("`apiVersion: {}/{}`, `kind: {}`\n\n", definition.group, version.name,
                     definition.kind) +
         FieldTables(version);
}

std::string IndexRow(const ResourceDefinition& definition) {
  std::vector<std::string> versions;
  for (const ResourceVersion& version : definition.versions) {
    versions.push_back(Code(version.name));
  }
  return fmt::format("| [{}]({}) | {} | {} | {} | {} | {} |\n", definition.kind,
                     FileName(definition), Code(definition.group), Join(versions, ", "),
                     Codes(definition.short_names), Scope(definition),
                     Escaped(Description(definition)));
}

}  // namespace

GeneratedFile ReferencePage(const ResourceDefinition& definition) {
  std::string text = kHeader + fmt::format("# {}\n\n", definition.kind) +
                     Escaped(Description(definition)) + "\n\n" + Facts(definition) +
                     Versions(definition) + Columns(definition);
  // The newest first: that is the one to write.
  for (auto version = definition.versions.rbegin(); version != definition.versions.rend();
       ++version) {
    text += VersionPart(definition, *version);
  }
  while (text.ends_with("\n\n")) {
    text.pop_back();
  }
  return {kDirectory + FileName(definition), std::move(text)};
}

GeneratedFile ReferenceIndex(const std::vector<ResourceDefinition>& definitions) {
  std::string text =
      kHeader + std::string(
                    "# Reference\n\nEvery kind of the product, with all its fields.\n\n"
                    "| Kind | Group | Versions | Short names | Scope | What it is |\n"
                    "|---|---|---|---|---|---|\n");
  for (const ResourceDefinition& definition : definitions) {
    text += IndexRow(definition);
  }
  return {std::string(kDirectory) + "README.md", std::move(text)};
}

}  // namespace hearth::generate
