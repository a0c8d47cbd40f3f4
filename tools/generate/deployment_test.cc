// What is made from the manifests in deploy/.
#include "deployment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::generate {
namespace {

using json::Value;

TEST(RulesBeyondNamespaces, AreThoseOfResourcesInNoNamespaceAndOfWatchesEverywhere) {
  const auto rules = json::ParseYamlDocument(R"(
- {apiGroups: [""], resources: [pods, nodes], verbs: [get, list, watch]}
- {apiGroups: [nvidia.com], resources: [podsnapshots/status, podsnapshotcontents/status], verbs: [patch]}
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, list, watch, create]}
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update]}
- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: [a], verbs: [patch]}
)");
  ASSERT_OK(rules);
  EXPECT_EQ(json::WriteYaml(RulesBeyondNamespaces(*rules)), R"(- apiGroups:
  - ""
  resources:
  - nodes
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - nvidia.com
  resources:
  - podsnapshotcontents/status
  verbs:
  - patch
- apiGroups:
  - coordination.k8s.io
  resources:
  - leases
  verbs:
  - list
  - watch
- apiGroups:
  - apiextensions.k8s.io
  resources:
  - customresourcedefinitions
  resourceNames:
  - a
  verbs:
  - patch
)");
}

// Paths of values, and whether anything may be below.
void Collect(const Value& map, const std::string& path, std::set<std::string>& paths) {
  for (const auto& [key, value] : map.members()) {
    const std::string name = path.empty() ? key : path + "." + key;
    paths.insert(name);
    if (value.IsObject()) {
      Collect(value, name, paths);
    }
  }
}

// Adds what the schema names; `open` are those below which anything goes.
void CollectSchema(const Value& schema, const std::string& path, std::set<std::string>& paths,
                   std::set<std::string>& open) {
  const Value* properties = schema.Find("properties");
  const Value* more = schema.Find("additionalProperties");
  if (more == nullptr || more->IsObject()) {
    open.insert(path);
  }
  if (properties == nullptr) {
    return;
  }
  for (const auto& [key, value] : properties->members()) {
    const std::string name = path.empty() ? key : path + "." + key;
    paths.insert(name);
    CollectSchema(value, name, paths, open);
  }
}

TEST(Chart, ItsSchemaHasTheValuesThatThereAreAndNoOthers) {
  const std::string chart = std::string(HEARTH_SOURCE_DIR) + "/deploy/helm/hearth/";
  ASSERT_OK_AND_ASSIGN(const std::string yaml,
                       RealFileSystem().Read(chart + "values.yaml", 1 << 20));
  ASSERT_OK_AND_ASSIGN(const std::string text,
                       RealFileSystem().Read(chart + "values.schema.json", 1 << 20));
  ASSERT_OK_AND_ASSIGN(const Value values, json::ParseYamlDocument(yaml));
  ASSERT_OK_AND_ASSIGN(const Value schema, json::ParseYamlDocument(text));
  std::set<std::string> there;
  Collect(values, "", there);
  std::set<std::string> known;
  std::set<std::string> open;
  CollectSchema(schema, "", known, open);
  EXPECT_FALSE(open.contains("")) << "a value that is misspelt would be taken";
  known.erase("global");  // Helm's own
  std::erase_if(there, [&](const std::string& path) {
    for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
      if (open.contains(path.substr(0, dot)) && !known.contains(path)) {
        return true;
      }
    }
    return false;
  });
  EXPECT_EQ(there, known);
}

}  // namespace
}  // namespace hearth::generate
