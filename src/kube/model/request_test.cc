#include "kube/model/request.h"

#include <gtest/gtest.h>

#include "json/value.h"

namespace hearth::kube {
namespace {

const json::Blob kBody = json::Value::Object({{"a", 1}}).ToBlob();

TEST(RequestPath, DependsOnGroupAndScope) {
  EXPECT_EQ(CollectionPath(types::Pods(), "n"), "/api/v1/namespaces/n/pods");
  EXPECT_EQ(CollectionPath(types::Pods(), ""), "/api/v1/pods");
  EXPECT_EQ(CollectionPath(types::Deployments(), "n"), "/apis/apps/v1/namespaces/n/deployments");
  EXPECT_EQ(ObjectPath(types::Nodes(), {"", "x"}), "/api/v1/nodes/x");
  EXPECT_EQ(ObjectPath(types::Nodes(), {"ignored", "x"}), "/api/v1/nodes/x");
  EXPECT_EQ(ObjectPath(types::Pods(), {"n", "p"}, "status"), "/api/v1/namespaces/n/pods/p/status");
}

TEST(RequestPath, NamesCannotLeaveTheirPlace) {
  EXPECT_EQ(ObjectPath(types::Pods(), {"n/../x", "p?q"}),
            "/api/v1/namespaces/n%2F..%2Fx/pods/p%3Fq");
}

TEST(GetRequest, AsksForJson) {
  const http::Request request =
      GetRequest(types::Pods(), {"n", "p"}, {.resource_version = "0", .subresource = "scale"});
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/api/v1/namespaces/n/pods/p/scale?resourceVersion=0");
  EXPECT_EQ(request.headers.Get("Accept"), "application/json");
  EXPECT_TRUE(request.body.empty());
}

TEST(ListRequest, CarriesOnlyWhatIsSet) {
  EXPECT_EQ(ListRequest(types::Pods(), "n", {}).target, "/api/v1/namespaces/n/pods");
  const ListOptions options{.label_selector = "a in (b,c)",
                            .field_selector = "spec.nodeName=x",
                            .limit = 5,
                            .continue_token = "t",
                            .resource_version = "7",
                            .resource_version_match = "Exact"};
  EXPECT_EQ(
      ListRequest(types::Pods(), "", options).target,
      "/api/v1/pods?labelSelector=a%20in%20%28b%2Cc%29&fieldSelector=spec.nodeName%3Dx&limit=5"
      "&continue=t&resourceVersion=7&resourceVersionMatch=Exact");
}

TEST(WatchRequest, AsksForBookmarksUnlessToldNotTo) {
  EXPECT_EQ(WatchRequest(types::Pods(), "", {}).target,
            "/api/v1/pods?watch=true&allowWatchBookmarks=true");
  const WatchOptions options{.resource_version = "7",
                             .resource_version_match = "NotOlderThan",
                             .bookmarks = false,
                             .send_initial_events = true,
                             .timeout_seconds = 300};
  EXPECT_EQ(WatchRequest(types::Pods(), "", options).target,
            "/api/v1/pods?watch=true&resourceVersion=7&resourceVersionMatch=NotOlderThan"
            "&sendInitialEvents=true&timeoutSeconds=300");
}

TEST(CreateRequest, PostsTheBody) {
  const WriteOptions options{
      .field_manager = "m", .field_validation = "Strict", .dry_run = true, .force = true};
  const http::Request request = CreateRequest(types::Pods(), "n", kBody.view(), options);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target,
            "/api/v1/namespaces/n/pods?fieldManager=m&fieldValidation=Strict&dryRun=All");
  EXPECT_EQ(request.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(request.body, R"({"a":1})");
}

TEST(CreateSubresourceRequest, PostsBelowTheObject) {
  const http::Request request = CreateSubresourceRequest(types::Pods(), {"n", "p"}, kBody.view(),
                                                         {.subresource = "eviction"});
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/api/v1/namespaces/n/pods/p/eviction");
}

TEST(UpdateRequest, PutsTheBody) {
  const http::Request request =
      UpdateRequest(types::Pods(), {"n", "p"}, kBody.view(), {.subresource = "status"});
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(request.target, "/api/v1/namespaces/n/pods/p/status");
  EXPECT_EQ(request.body, R"({"a":1})");
}

TEST(PatchRequest, ContentTypeTellsTheKind) {
  const auto type_of = [](PatchType patch) {
    return std::string(PatchRequest(types::Pods(), {"n", "p"}, patch, kBody.view(), {})
                           .headers.Get("Content-Type"));
  };
  EXPECT_EQ(type_of(PatchType::kJson), "application/json-patch+json");
  EXPECT_EQ(type_of(PatchType::kMerge), "application/merge-patch+json");
  EXPECT_EQ(type_of(PatchType::kStrategic), "application/strategic-merge-patch+json");
  EXPECT_EQ(type_of(PatchType::kApply), "application/apply-patch+yaml");
}

TEST(PatchRequest, OnlyApplyTakesForce) {
  const WriteOptions options{.field_manager = "m", .force = true};
  EXPECT_EQ(
      PatchRequest(types::Pods(), {"n", "p"}, PatchType::kApply, kBody.view(), options).target,
      "/api/v1/namespaces/n/pods/p?fieldManager=m&force=true");
  EXPECT_EQ(
      PatchRequest(types::Pods(), {"n", "p"}, PatchType::kMerge, kBody.view(), options).target,
      "/api/v1/namespaces/n/pods/p?fieldManager=m");
}

TEST(DeleteRequest, OptionsTravelInTheBody) {
  const http::Request plain = DeleteRequest(types::Pods(), {"n", "p"}, {});
  EXPECT_EQ(plain.method, "DELETE");
  EXPECT_EQ(plain.target, "/api/v1/namespaces/n/pods/p");
  EXPECT_EQ(plain.body, R"({"kind":"DeleteOptions","apiVersion":"v1"})");
  const DeleteOptions options{.grace_period_seconds = 0,
                              .propagation = "Foreground",
                              .uid = "u",
                              .resource_version = "7",
                              .dry_run = true};
  EXPECT_EQ(DeleteRequest(types::Pods(), {"n", "p"}, options).body,
            R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,)"
            R"("propagationPolicy":"Foreground","preconditions":{"uid":"u","resourceVersion":"7"},)"
            R"("dryRun":["All"]})");
}

TEST(DeleteCollectionRequest, SelectsInTheQuery) {
  const http::Request request =
      DeleteCollectionRequest(types::Pods(), "n", {.label_selector = "a=b"}, {.uid = "u"});
  EXPECT_EQ(request.method, "DELETE");
  EXPECT_EQ(request.target, "/api/v1/namespaces/n/pods?labelSelector=a%3Db");
  EXPECT_EQ(request.body,
            R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"}})");
}

}  // namespace
}  // namespace hearth::kube
