#include "kube/client/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "kube/client/testing/scripted_api.h"

namespace hearth::kube {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kCoreAggregated = R"({"kind":"APIGroupDiscoveryList",
  "apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{},"versions":[{"version":"v1",
  "freshness":"Current","resources":[
    {"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},"scope":"Namespaced",
     "singularResource":"pod","verbs":["get","list"],"shortNames":["po"],"categories":["all"],
     "subresources":[{"subresource":"status","verbs":["get"]}]},
    {"resource":"nodes","responseKind":{"group":"","version":"v1","kind":"Node"},"scope":"Cluster",
     "singularResource":"node","verbs":["get"],"shortNames":["no"]}]}]}]})";

constexpr const char* kGroupsAggregated = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":"apps"},"versions":[
    {"version":"v1","resources":[{"resource":"deployments","responseKind":{"kind":"Deployment"},
      "scope":"Namespaced","singularResource":"deployment","shortNames":["deploy"]}]},
    {"version":"v1beta1","resources":[{"resource":"deployments","responseKind":{"kind":"Deployment"},
      "scope":"Namespaced","singularResource":"deployment"}]}]},
  {"metadata":{"name":"other.io"},"versions":[
    {"version":"v1","resources":[{"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced",
      "singularResource":"pod"}]}]}]})";

class DiscoveryTest : public ::testing::Test {
 protected:
  static ClientOptions OneTry() {
    ClientOptions options;
    options.max_tries = 1;
    return options;
  }
  ResourceType Resource(std::string_view text) {
    auto type = discovery_.FindResource(text, limit_);
    EXPECT_OK(type);
    return type.ok() ? *type : ResourceType();
  }

  net::EventLoop loop_{"test"};
  ManualClock clock_;
  ScriptedApi api_;
  std::unique_ptr<Transport> transport_ = MakeHandlerTransport(loop_, api_.handler(), clock_);
  Client client_{*transport_, clock_, OneTry()};
  Discovery discovery_{client_, clock_};
  const WaitLimit limit_ = WaitLimit::Forever();
};

TEST_F(DiscoveryTest, AggregatedDocumentsNeedTwoRequests) {
  api_.Json(200, kCoreAggregated).Json(200, kGroupsAggregated);
  ASSERT_OK_AND_ASSIGN(const auto entries, discovery_.All(limit_));
  ASSERT_EQ(entries.size(), 5u);
  EXPECT_EQ(entries[0].type, (ResourceType{"", "v1", "pods", "Pod", true}));
  EXPECT_EQ(entries[0].singular, "pod");
  EXPECT_THAT(entries[0].short_names, ElementsAre("po"));
  EXPECT_THAT(entries[0].categories, ElementsAre("all"));
  EXPECT_THAT(entries[0].verbs, ElementsAre("get", "list"));
  EXPECT_THAT(entries[0].subresources, ElementsAre("status"));
  EXPECT_FALSE(entries[1].type.namespaced);
  EXPECT_THAT(api_.request_lines(), ElementsAre("GET /api", "GET /apis"));
  EXPECT_THAT(std::string(api_.requests()[0].headers.Get("Accept")),
              HasSubstr("as=APIGroupDiscoveryList"));
}

TEST_F(DiscoveryTest, PlainDocumentsAreAskedForGroupByGroup) {
  api_.Json(200, R"({"kind":"APIVersions","versions":["v1"]})")
      .Json(200, R"({"kind":"APIResourceList","groupVersion":"v1","resources":[
          {"name":"pods/status","kind":"Pod","namespaced":true},
          {"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["get"],
           "shortNames":["po"],"categories":["all"]}]})")
      .Json(200, R"({"kind":"APIGroupList","groups":[
          {"name":"broken.io","versions":[{"groupVersion":"broken.io/v1","version":"v1"}]},
          {"name":"apps","versions":[{"version":"v1beta1"},{"version":"v1"}],
           "preferredVersion":{"version":"v1"}}]})")
      .Json(503, "")
      .Json(200, R"({"resources":[{"name":"deployments","kind":"Deployment","namespaced":true}]})")
      .Json(200, R"({"resources":[{"name":"deployments","kind":"Deployment","namespaced":true}]})");
  ASSERT_OK_AND_ASSIGN(const auto entries, discovery_.All(limit_));
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].type, (ResourceType{"", "v1", "pods", "Pod", true}));
  EXPECT_THAT(entries[0].subresources, ElementsAre("status"));
  EXPECT_EQ(entries[1].type.version, "v1");
  EXPECT_EQ(entries[2].type.version, "v1beta1");
  EXPECT_THAT(api_.request_lines(),
              ElementsAre("GET /api", "GET /api/v1", "GET /apis", "GET /apis/broken.io/v1",
                          "GET /apis/apps/v1", "GET /apis/apps/v1beta1"));
}

TEST_F(DiscoveryTest, ResourcesAreFoundAsPeopleTypeThem) {
  api_.Json(200, kCoreAggregated).Json(200, kGroupsAggregated);
  for (const char* text : {"pods", "pod", "Pod", "po", "PO", "pods.v1", "pods.v1."}) {
    EXPECT_EQ(Resource(text), types::Pods()) << text;
  }
  for (const char* text : {"deploy", "deployments.apps", "deployments.v1.apps"}) {
    EXPECT_EQ(Resource(text), types::Deployments()) << text;
  }
  EXPECT_EQ(Resource("deployments.v1beta1.apps").version, "v1beta1");
  EXPECT_EQ(Resource("pods.other.io").group, "other.io");
  EXPECT_EQ(api_.requests().size(), 2u);
}

TEST_F(DiscoveryTest, KindsAreFoundInThePreferredVersionUnlessGiven) {
  api_.Json(200, kCoreAggregated).Json(200, kGroupsAggregated);
  ASSERT_OK_AND_ASSIGN(const auto preferred, discovery_.FindKind("apps", "Deployment", "", limit_));
  EXPECT_EQ(preferred, types::Deployments());
  ASSERT_OK_AND_ASSIGN(const auto old,
                       discovery_.FindKind("apps", "Deployment", "v1beta1", limit_));
  EXPECT_EQ(old.version, "v1beta1");
}

TEST_F(DiscoveryTest, WhatIsNotFoundIsAskedForAgainButNotTooOften) {
  constexpr const char* kNone = R"({"kind":"APIGroupDiscoveryList","items":[]})";
  api_.Json(200, kCoreAggregated).Json(200, kNone);
  const auto missing = discovery_.FindKind("apps", "Deployment", "", limit_);
  EXPECT_CODE(Code::kNotFound, missing);
  EXPECT_EQ(missing.status().reason(), "NoMatch");
  EXPECT_EQ(api_.requests().size(), 2u);
  clock_.Advance(seconds(9));
  EXPECT_CODE(Code::kNotFound, discovery_.FindKind("apps", "Deployment", "", limit_));
  EXPECT_EQ(api_.requests().size(), 2u);
  clock_.Advance(seconds(1));
  api_.Json(200, kCoreAggregated).Json(200, kGroupsAggregated);
  EXPECT_OK(discovery_.FindKind("apps", "Deployment", "", limit_));
}

TEST_F(DiscoveryTest, InvalidatedIsAskedForAtOnce) {
  api_.Json(200, kCoreAggregated).Json(404, "").Json(200, kCoreAggregated).Json(404, "");
  EXPECT_OK(discovery_.FindResource("pods", limit_));
  EXPECT_OK(discovery_.FindResource("nodes", limit_));
  EXPECT_EQ(api_.requests().size(), 2u);
  discovery_.Invalidate();
  EXPECT_OK(discovery_.FindResource("pods", limit_));
  EXPECT_EQ(api_.requests().size(), 4u);
}

TEST_F(DiscoveryTest, AServerThatCannotBeAskedIsAnErrorNotAMissingKind) {
  api_.Json(503, "");
  const auto type = discovery_.FindResource("pods", limit_);
  EXPECT_CODE(Code::kUnavailable, type);
  api_.Json(404, "").Json(404, "");
  EXPECT_CODE(Code::kNotFound, discovery_.FindResource("pods", limit_));
}

}  // namespace
}  // namespace hearth::kube
