#include "kube/client/internal/discovery_document.h"

#include <algorithm>

namespace hearth::kube::internal {
namespace {

using Entry = Discovery::Entry;

std::vector<std::string> Strings(json::View list) {
  std::vector<std::string> texts;
  for (const json::View item : list.items()) {
    texts.push_back(item.StringOr(""));
  }
  return texts;
}

Entry AggregatedEntry(const std::string& group, const std::string& version, json::View resource) {
  Entry entry;
  entry.type.group = group;
  entry.type.version = version;
  entry.type.name = resource["resource"].StringOr("");
  entry.type.kind = resource["responseKind"]["kind"].StringOr("");
  entry.type.namespaced = resource["scope"].Equals("Namespaced");
  entry.singular = resource["singularResource"].StringOr("");
  entry.short_names = Strings(resource["shortNames"]);
  entry.categories = Strings(resource["categories"]);
  entry.verbs = Strings(resource["verbs"]);
  for (const json::View sub : resource["subresources"].items()) {
    entry.subresources.push_back(sub["subresource"].StringOr(""));
  }
  return entry;
}

Entry PlainEntry(const ServedVersion& version, json::View resource) {
  Entry entry;
  entry.type.group = version.group;
  entry.type.version = version.version;
  entry.type.name = resource["name"].StringOr("");
  entry.type.kind = resource["kind"].StringOr("");
  entry.type.namespaced = resource["namespaced"].Bool().value_or(false);
  entry.singular = resource["singularName"].StringOr("");
  entry.short_names = Strings(resource["shortNames"]);
  entry.categories = Strings(resource["categories"]);
  entry.verbs = Strings(resource["verbs"]);
  return entry;
}

bool Usable(const Entry& entry) { return !entry.type.name.empty() && !entry.type.kind.empty(); }

void ReadGroup(json::View group, std::vector<ServedVersion>& versions) {
  const std::string name = group["name"].StringOr("");
  const std::string preferred = group["preferredVersion"]["version"].StringOr("");
  const size_t first = versions.size();
  for (const json::View version : group["versions"].items()) {
    versions.push_back({name, version["version"].StringOr("")});
  }
  const auto begin = versions.begin() + static_cast<std::ptrdiff_t>(first);
  const auto found = std::find_if(begin, versions.end(),
                                  [&](const ServedVersion& v) { return v.version == preferred; });
  if (found != versions.end()) {
    std::rotate(begin, found, found + 1);
  }
}

}  // namespace

std::string ServedVersion::Path() const {
  return group.empty() ? "/api/" + version : "/apis/" + group + "/" + version;
}

bool IsAggregated(json::View document) { return document["kind"].Equals("APIGroupDiscoveryList"); }

std::vector<Entry> ReadAggregated(json::View document) {
  std::vector<Entry> entries;
  for (const json::View group : document["items"].items()) {
    const std::string name = group["metadata"]["name"].StringOr("");
    for (const json::View version : group["versions"].items()) {
      const std::string version_name = version["version"].StringOr("");
      for (const json::View resource : version["resources"].items()) {
        Entry entry = AggregatedEntry(name, version_name, resource);
        if (Usable(entry)) {
          entries.push_back(std::move(entry));
        }
      }
    }
  }
  return entries;
}

std::vector<ServedVersion> ReadVersions(json::View document) {
  std::vector<ServedVersion> versions;
  if (document["kind"].Equals("APIVersions")) {
    for (const json::View version : document["versions"].items()) {
      versions.push_back({"", version.StringOr("")});
    }
  }
  for (const json::View group : document["groups"].items()) {
    ReadGroup(group, versions);
  }
  return versions;
}

std::vector<Entry> ReadResources(const ServedVersion& version, json::View document) {
  std::vector<Entry> entries;
  for (const json::View resource : document["resources"].items()) {
    Entry entry = PlainEntry(version, resource);
    if (Usable(entry) && entry.type.name.find('/') == std::string::npos) {
      entries.push_back(std::move(entry));
    }
  }
  // "pods/status" belongs to "pods", in whatever order they come.
  for (const json::View resource : document["resources"].items()) {
    const std::string name = resource["name"].StringOr("");
    const size_t slash = name.find('/');
    const auto owner = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
      return entry.type.name == name.substr(0, slash);
    });
    if (slash != std::string::npos && owner != entries.end()) {
      owner->subresources.push_back(name.substr(slash + 1));
    }
  }
  return entries;
}

}  // namespace hearth::kube::internal
