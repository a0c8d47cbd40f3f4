#include "admission/webhook/configurations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "admission/webhook/endpoints.h"

namespace hearth::admission::webhook {
namespace {

using json::Value;
using testing::HasSubstr;

struct Named {
  std::string configuration;
  std::string kind;
  Value webhook;
};

std::vector<Named> AllWebhooks(const ConfigurationOptions& options = {}) {
  std::vector<Named> all;
  for (const Value& configuration : RenderConfigurations(options)) {
    for (const Value& webhook : configuration.Find("webhooks")->items()) {
      all.push_back({configuration.FindPath("metadata.name")->string(),
                     configuration.Find("kind")->string(), webhook});
    }
  }
  return all;
}

Value WebhookNamed(const std::string& name, const ConfigurationOptions& options = {}) {
  for (const Named& named : AllWebhooks(options)) {
    if (named.webhook.Find("name")->string() == name) {
      return named.webhook;
    }
  }
  ADD_FAILURE() << "no webhook " << name;
  return {};
}

bool Lists(const Value& rule, const char* list, const std::string& wanted) {
  const auto& items = rule.Find(list)->items();
  return std::any_of(items.begin(), items.end(), [&](const Value& item) {
    return item.string() == "*" || item.string() == wanted;
  });
}

bool Covers(const Value& webhook, const std::string& group, const std::string& resource) {
  const auto& rules = webhook.Find("rules")->items();
  return std::any_of(rules.begin(), rules.end(), [&](const Value& rule) {
    return Lists(rule, "apiGroups", group) && Lists(rule, "resources", resource);
  });
}

TEST(Configurations, NoneThatMayRefuseCoversWhatTheOperatorWritesBeforeItServes) {
  const std::pair<const char*, const char*> before_serving[] = {
      {"", "secrets"},
      {"", "pods"},
      {"", "events"},
      {"", "namespaces"},
      {"", "serviceaccounts"},
      {"", "services"},
      {"", "endpoints"},
      {"", "nodes"},
      {"events.k8s.io", "events"},
      {"discovery.k8s.io", "endpointslices"},
      {"coordination.k8s.io", "leases"},
      {"apps", "deployments"},
      {"apps", "replicasets"},
      {"apiextensions.k8s.io", "customresourcedefinitions"},
      {"admissionregistration.k8s.io", "mutatingwebhookconfigurations"},
      {"admissionregistration.k8s.io", "validatingwebhookconfigurations"},
      {"authentication.k8s.io", "tokenreviews"},
      {"authorization.k8s.io", "subjectaccessreviews"},
  };
  for (const Named& named : AllWebhooks()) {
    if (named.webhook.Find("failurePolicy")->string() == "Ignore") {
      continue;
    }
    for (const auto& [group, resource] : before_serving) {
      EXPECT_FALSE(Covers(named.webhook, group, resource))
          << named.webhook.Find("name")->string() << " " << resource;
    }
  }
}

TEST(Configurations, NoneAsksAboutDeletionsStatusOrScale) {
  for (const Named& named : AllWebhooks()) {
    for (const Value& rule : named.webhook.Find("rules")->items()) {
      EXPECT_FALSE(Lists(rule, "operations", "DELETE")) << rule.Write();
      EXPECT_FALSE(Lists(rule, "operations", "CONNECT")) << rule.Write();
      for (const Value& resource : rule.Find("resources")->items()) {
        EXPECT_EQ(resource.string().find('/'), std::string::npos) << rule.Write();
      }
    }
  }
}

TEST(Configurations, EveryPathIsServedForTheVersionItsRuleLists) {
  std::set<std::string> names;
  for (const Named& named : AllWebhooks()) {
    const Value& webhook = named.webhook;
    const std::string name = webhook.Find("name")->string();
    SCOPED_TRACE(name);
    EXPECT_TRUE(names.insert(name).second);
    const Endpoint* endpoint =
        FindEndpoint(webhook.FindPath("clientConfig.service.path")->string());
    ASSERT_NE(endpoint, nullptr);
    const Value& rule = webhook.Find("rules")->items()[0];
    EXPECT_EQ(rule.Find("apiVersions")->items()[0].string(), endpoint->version);
    EXPECT_EQ(rule.Find("apiGroups")->items()[0].string(), endpoint->group);
    EXPECT_EQ(endpoint->task == Task::kValidate, named.kind == "ValidatingWebhookConfiguration");
  }
}

TEST(Configurations, AllHaveTheSamePolicies) {
  for (const Named& named : AllWebhooks()) {
    const Value& webhook = named.webhook;
    SCOPED_TRACE(webhook.Find("name")->string());
    EXPECT_EQ(webhook.Find("timeoutSeconds")->Int(), 10);
    EXPECT_EQ(webhook.Find("sideEffects")->string(), "None");
    EXPECT_EQ(webhook.Find("admissionReviewVersions")->Write(), R"(["v1"])");
    EXPECT_EQ(webhook.FindPath("clientConfig.caBundle"), nullptr);
    const bool pods = Covers(webhook, "", "pods");
    EXPECT_EQ(webhook.Find("failurePolicy")->string(), pods ? "Ignore" : "Fail");
    EXPECT_EQ(webhook.Find("namespaceSelector"), nullptr);
  }
}

TEST(Configurations, MatchPoliciesAreAsUpstreamHasThem) {
  const std::pair<const char*, const char*> rows[] = {
      {"vdynamocomponentdeployment.kb.io", "Equivalent"},
      {"mdynamographdeployment.kb.io", "Equivalent"},
      {"mdynamocomponentdeploymentv1beta1.kb.io", "Exact"},
      {"pcs.defaulting.webhooks.grove.io", "Exact"},
      {"pcs.validating.webhooks.grove.io", "Exact"},
  };
  for (const auto& [name, policy] : rows) {
    EXPECT_EQ(WebhookNamed(name).Find("matchPolicy")->string(), policy) << name;
  }
}

// W12
TEST(Configurations, PodsThatAreNoCandidatesStayInTheApiServer) {
  const Value webhook = WebhookNamed("mpodcheckpointrestore.kb.io");
  EXPECT_EQ(webhook.Find("rules")->items()[0].Find("operations")->Write(), R"(["CREATE"])");
  EXPECT_THAT(webhook.FindPath("objectSelector")->Write(),
              HasSubstr(R"({"key":"nvidia.com/selector","operator":"Exists"})"));
  EXPECT_THAT(webhook.Find("matchConditions")->Write(),
              HasSubstr("nvidia.com/dynamo-checkpoint-restore-candidate"));
}

TEST(Configurations, CarryTheNamespaceOfTheirOperator) {
  for (const Value& configuration : RenderConfigurations({.name_space = "there"})) {
    EXPECT_EQ(
        configuration.Find("metadata")->Find("labels")->Find(kOperatorNamespaceLabel)->string(),
        "there");
    EXPECT_EQ(configuration.Find("webhooks")
                  ->items()[0]
                  .FindPath("clientConfig.service.namespace")
                  ->string(),
              "there");
  }
}

TEST(Configurations, ARestrictedOperatorAsksForItsNamespaceOnly) {
  for (const Named& named : AllWebhooks({.restricted_to = "mine"})) {
    EXPECT_EQ(named.webhook.Find("namespaceSelector")->Write(),
              R"({"matchExpressions":[{"key":"kubernetes.io/metadata.name","operator":"In",)"
              R"("values":["mine"]}]})");
  }
}

TEST(Configurations, AUrlTakesThePlaceOfTheService) {
  const Value webhook =
      WebhookNamed("vdynamographdeployment.kb.io", {.url = "https://127.0.0.1:9443"});
  EXPECT_EQ(
      webhook.Find("clientConfig")->Write(),
      R"({"url":"https://127.0.0.1:9443/validate/nvidia.com/v1beta1/dynamographdeployments"})");
}

Value Authorizer(const ConfigurationOptions& options = {}) {
  const std::vector<Value> optional = RenderOptionalConfigurations(options);
  EXPECT_EQ(optional.size(), 1U);
  EXPECT_EQ(optional[0].FindPath("metadata.name")->string(), "authorizer-webhook");
  EXPECT_EQ(optional[0].Find("kind")->string(), "ValidatingWebhookConfiguration");
  return optional[0].Find("webhooks")->items().at(0);
}

TEST(OptionalConfigurations, TheAuthorizerAsksOnlyAboutWhatIsLabelledAsTheOperatorsWork) {
  const Value webhook = Authorizer();
  EXPECT_EQ(webhook.Find("name")->string(), "authorizer.webhooks.grove.io");
  EXPECT_EQ(webhook.Find("objectSelector")->Write(),
            R"({"matchLabels":{"app.kubernetes.io/managed-by":"grove-operator"}})");
  EXPECT_EQ(webhook.Find("failurePolicy")->string(), "Fail");
  EXPECT_EQ(webhook.Find("timeoutSeconds")->Int(), 10);
  const Endpoint* endpoint = FindEndpoint(webhook.FindPath("clientConfig.service.path")->string());
  ASSERT_NE(endpoint, nullptr);
  EXPECT_EQ(endpoint->task, Task::kProtect);
  EXPECT_NE(Authorizer({.restricted_to = "mine"}).Find("namespaceSelector"), nullptr);
}

TEST(OptionalConfigurations, TheAuthorizerAsksWhatUpstreamsDoesAndAboutClaims) {  // W24
  const Value webhook = Authorizer();
  const auto operations = [&](const std::string& group, const std::string& resource) {
    std::string all;
    for (const Value& rule : webhook.Find("rules")->items()) {
      if (Lists(rule, "apiGroups", group) && Lists(rule, "resources", resource)) {
        all += rule.Find("operations")->Write();
      }
    }
    return all;
  };
  for (const char* const resource : {"secrets", "serviceaccounts", "services"}) {
    EXPECT_EQ(operations("", resource), R"(["UPDATE","DELETE"])") << resource;
  }
  for (const char* const resource : {"roles", "rolebindings"}) {
    EXPECT_EQ(operations("rbac.authorization.k8s.io", resource), R"(["UPDATE","DELETE"])");
  }
  EXPECT_EQ(operations("autoscaling", "horizontalpodautoscalers"), R"(["UPDATE","DELETE"])");
  EXPECT_EQ(operations("resource.k8s.io", "resourceclaims"), R"(["UPDATE","DELETE"])");
  EXPECT_EQ(operations("", "pods"), R"(["UPDATE"])");
  for (const char* const resource : {"podcliques", "podcliquescalinggroups"}) {
    EXPECT_EQ(operations("grove.io", resource), R"(["CREATE","UPDATE","DELETE"])");
  }
  EXPECT_EQ(operations("scheduler.grove.io", "podgangs"), R"(["CREATE","UPDATE","DELETE"])");
  EXPECT_EQ(operations("", "pods/status"), "");
  EXPECT_EQ(operations("grove.io", "podcliques/scale"), "");
}

}  // namespace
}  // namespace hearth::admission::webhook
