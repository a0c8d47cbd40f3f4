#include "cli/manifest/read.h"

#include <algorithm>

namespace hearth::manifest {
namespace {

using json::Value;
using json::YamlDocument;

std::string TextAt(const Value& object, std::string_view path) {
  const Value* value = object.FindPath(path);
  return value != nullptr ? value->StringOr("") : "";
}

// As kubectl sees it: the kind says so, and there are items.
bool IsList(const Value& document) {
  const Value* items = document.Find("items");
  return TextAt(document, "kind").ends_with("List") && items != nullptr && items->IsArray();
}

void SetMember(YamlDocument& object, std::string_view name, std::string text) {
  if (object.value.Find(name) == nullptr) {
    object.place.below.push_back({.key = object.place.value, .value = object.place.value});
  }
  object.value.Set(name, std::move(text));
}

// As kubectl does: an item that says nothing of its kind is what the list says, a PodSnapshot in a
// PodSnapshotList.
void NameAfterList(const std::string& api_version, std::string kind, YamlDocument& item) {
  kind.resize(kind.size() - std::string_view("List").size());
  if (item.value.IsObject() && !kind.empty() && TextAt(item.value, "kind").empty() &&
      TextAt(item.value, "apiVersion").empty()) {
    SetMember(item, "apiVersion", api_version);
    SetMember(item, "kind", std::move(kind));
  }
}

void Unfold(YamlDocument document, std::vector<YamlDocument>& objects) {
  if (!IsList(document.value)) {
    objects.push_back(std::move(document));
    return;
  }
  const std::string api_version = TextAt(document.value, "apiVersion");
  const std::string kind = TextAt(document.value, "kind");
  Value::Members& members = document.value.members();
  for (size_t i = 0; i < members.size(); ++i) {
    if (members[i].first != "items") {
      continue;
    }
    Value::Items& items = members[i].second.items();
    for (size_t j = 0; j < items.size(); ++j) {
      YamlDocument item{std::move(items[j]), std::move(document.place.below[i].below[j])};
      NameAfterList(api_version, kind, item);
      Unfold(std::move(item), objects);
    }
  }
}

// libyaml says of a tab only that no token can begin with it.
bool IndentedByTab(std::string_view text, int line) {
  for (int i = 1; i < line; ++i) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  const std::string_view indent = text.substr(0, text.find_first_not_of(" \t"));
  return indent.find('\t') != std::string_view::npos;
}

std::string WithHint(std::string_view text, const json::YamlStream& stream) {
  std::string message(stream.status.message());
  if (message.starts_with("found character that cannot start any token") &&
      IndentedByTab(text, stream.failed_at.line)) {
    return "a tab cannot indent YAML; use spaces";
  }
  return message;
}

}  // namespace

Manifest Read(std::string_view text) {
  json::YamlStream stream = json::ParseYamlWithPositions(text, kLimits);
  Manifest manifest;
  for (YamlDocument& document : stream.documents) {
    Unfold(std::move(document), manifest.objects);
  }
  if (!stream.status.ok()) {
    manifest.findings.push_back(
        {.at = stream.failed_at, .type = type::kYamlSyntax, .message = WithHint(text, stream)});
  } else if (manifest.objects.empty()) {
    manifest.findings.push_back({.severity = Severity::kWarning,
                                 .type = type::kNoObject,
                                 .message = "no objects in this file"});
  }
  return manifest;
}

ObjectReport Identify(const YamlDocument& object) {
  return {.api_version = TextAt(object.value, "apiVersion"),
          .kind = TextAt(object.value, "kind"),
          .name_space = TextAt(object.value, "metadata.namespace"),
          .name = TextAt(object.value, "metadata.name"),
          .at = object.place.value};
}

std::string LandsIn(const api::CheckedKind& kind, const std::string& name_space,
                    const std::string& otherwise) {
  if (!kind.definition.namespaced) {
    return "";
  }
  return name_space.empty() ? otherwise : name_space;
}

std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

}  // namespace hearth::manifest
