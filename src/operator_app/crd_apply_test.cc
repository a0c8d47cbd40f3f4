#include "operator_app/crd_apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/testing/status_matchers.h"
#include "controller/testing/memory_api.h"

namespace hearth::operator_app {
namespace {

using json::Value;
using testing::HasSubstr;

// A106
class CrdApply : public testing::Test {
 protected:
  Status Apply(const std::vector<Value>& definitions) {
    told_.clear();
    return ApplyDefinitions(
        client_, definitions, WaitLimit::Forever(),
        [&](const std::string& name, Applied applied) { told_[name] = AppliedName(applied); });
  }

  controller::MemoryApi api_;
  net::EventLoop loop_{"test"};
  std::unique_ptr<kube::Transport> transport_ = kube::MakeHandlerTransport(loop_, api_.Handler());
  kube::Client client_{*transport_, RealClock(), {.max_tries = 1}};
  std::map<std::string, std::string, std::less<>> told_;
};

TEST_F(CrdApply, EveryDefinitionIsCreatedThenUnchangedThenUpdated) {
  const auto definitions = RenderDefinitions({.version = "1.0.0"});
  ASSERT_OK(Apply(definitions));
  EXPECT_EQ(told_.size(), definitions.size());
  EXPECT_THAT(told_, testing::Each(testing::Pair(testing::_, "created")));
  EXPECT_TRUE(told_.contains("podsnapshots.nvidia.com"));
  EXPECT_TRUE(told_.contains("podcliquesets.grove.io"));

  ASSERT_OK(Apply(definitions));
  EXPECT_THAT(told_, testing::Each(testing::Pair(testing::_, "unchanged")));

  ASSERT_OK(Apply(RenderDefinitions({.version = "1.0.1"})));
  EXPECT_THAT(told_, testing::Each(testing::Pair(testing::_, "updated")));
}

TEST_F(CrdApply, TheFirstFailureEndsIt) {
  const auto definitions = RenderDefinitions({});
  const std::string second = definitions[1].FindPath("metadata.name")->string();
  api_.Intercept([&](const http::Request& request) -> std::optional<http::Response> {
    const bool refuse =
        request.method == "PATCH" && request.target.find(second) != std::string::npos;
    return refuse ? std::optional(http::Response{.status = 403, .headers = {}, .body = "no"})
                  : std::nullopt;
  });
  EXPECT_THAT(Apply(definitions).ToString(), HasSubstr(second));
  EXPECT_EQ(told_.size(), 1U);
}

TEST_F(CrdApply, WhatCannotBeReadIsNotWritten) {
  api_.Intercept([&](const http::Request& request) -> std::optional<http::Response> {
    return request.method == "GET"
               ? std::optional(http::Response{.status = 403, .headers = {}, .body = "no"})
               : std::nullopt;
  });
  EXPECT_FALSE(Apply(RenderDefinitions({})).ok());
  EXPECT_TRUE(api_.All(kube::types::CustomResourceDefinitions()).empty());
}

TEST_F(CrdApply, AnotherKindIsNoDefinition) {
  EXPECT_THAT(Apply({Value::Object({{"kind", "Pod"}})}).ToString(),
              HasSubstr("not a CustomResourceDefinition"));
}

TEST(NotServed, NamesDefinitionsOfWhichAVersionIsMissing) {
  const auto definitions = RenderDefinitions({});
  std::vector<kube::Discovery::Entry> served;
  for (const Value& definition : definitions) {
    for (const Value& version : definition.FindPath("spec.versions")->items()) {
      served.push_back(
          {.type = {definition.FindPath("spec.group")->string(), version.Find("name")->string(), "",
                    definition.FindPath("spec.names.kind")->string(), true}});
    }
  }
  EXPECT_THAT(NotServed(definitions, served), testing::IsEmpty());
  std::erase_if(served, [](const auto& entry) {
    return entry.type.kind == "PodCliqueSet" ||
           (entry.type.kind == "DynamoGraphDeployment" && entry.type.version == "v1alpha1");
  });
  EXPECT_THAT(
      NotServed(definitions, served),
      testing::UnorderedElementsAre("podcliquesets.grove.io", "dynamographdeployments.nvidia.com"));
}

TEST(RenderDefinitions, ConversionAsksTheServiceThatIsNamed) {
  for (const Value& definition :
       RenderDefinitions({.service_namespace = "here", .service_name = "hooks"})) {
    if (const Value* service =
            definition.FindPath("spec.conversion.webhook.clientConfig.service")) {
      EXPECT_EQ(service->Find("namespace")->string(), "here");
      EXPECT_EQ(service->Find("name")->string(), "hooks");
    }
  }
}

}  // namespace
}  // namespace hearth::operator_app
