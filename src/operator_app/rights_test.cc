// deploy/operator beside the code that needs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "api/catalog/catalog.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "json/yaml.h"
#include "operator_app/options.h"

namespace hearth::operator_app {
namespace {

using json::Value;

std::vector<Value> Documents(const std::string& file) {
  const auto text =
      RealFileSystem().Read(std::string(HEARTH_SOURCE_DIR) + "/deploy/operator/" + file, 1 << 20);
  EXPECT_OK(text);
  const auto parsed = json::ParseYaml(text.ok() ? *text : "");
  EXPECT_OK(parsed);
  return parsed.ok() ? *parsed : std::vector<Value>();
}

const Value* FindObject(const std::vector<Value>& documents, std::string_view kind,
                        std::string_view name) {
  for (const Value& document : documents) {
    if (document.Find("kind")->string() == kind &&
        document.FindPath("metadata.name")->string() == name) {
      return &document;
    }
  }
  return nullptr;
}

// W20: a kind that is applied and not listed keeps the operator from starting.
TEST(Rights, EveryDefinitionMayBeApplied) {
  const auto documents = Documents("rbac.yaml");
  const Value* role = FindObject(documents, "ClusterRole", "hearth-crd-apply");
  ASSERT_NE(role, nullptr);
  std::set<std::string> listed;
  for (const Value& rule : role->Find("rules")->items()) {
    if (const Value* names = rule.Find("resourceNames")) {
      for (const Value& name : names->items()) {
        listed.insert(name.string());
      }
    }
  }
  std::set<std::string> defined;
  for (const auto& definition : api::AllDefinitions()) {
    defined.insert(definition.Name());
  }
  EXPECT_EQ(listed, defined);
}

TEST(Rights, TheDeploymentIsMadeForTheOptionsDefaults) {
  const OperatorOptions options;
  const auto documents = Documents("deployment.yaml");
  EXPECT_NE(FindObject(documents, "Deployment", "hearth-operator"), nullptr);
  const Value* service = FindObject(documents, "Service", options.webhooks.service);
  ASSERT_NE(service, nullptr);
  EXPECT_EQ(service->FindPath("metadata.namespace")->string(), options.name_space);
  EXPECT_NE(FindObject(Documents("rbac.yaml"), "ServiceAccount", options.service_account), nullptr);
}

// Caches of a kind whose objects are stored in another version fill when they are converted, and
// conversions come through the Service.
TEST(Rights, WebhooksAreReachedBeforeCachesAreFilled) {
  const auto documents = Documents("deployment.yaml");
  const Value* deployment = FindObject(documents, "Deployment", "hearth-operator");
  ASSERT_NE(deployment, nullptr);
  const Value& container = deployment->FindPath("spec.template.spec.containers")->items()[0];
  EXPECT_EQ(container.FindPath("readinessProbe.httpGet.path")->string(), "/readyz?exclude=caches");
  EXPECT_EQ(container.FindPath("livenessProbe.httpGet.path")->string(), "/healthz");
  EXPECT_GE(OperatorOptions().manager.sync_timeout, std::chrono::hours(1))
      << "a late cache must not end who answers webhooks";
}

}  // namespace
}  // namespace hearth::operator_app
