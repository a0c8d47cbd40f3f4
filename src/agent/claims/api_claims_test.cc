#include "agent/claims/api_claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "kube/client/testing/scripted_api.h"
#include "net/event_loop.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;

constexpr const char* kNoCore = R"({"kind":"APIGroupDiscoveryList","items":[]})";
// A server before claims were v1.
constexpr const char* kGroups = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":"resource.k8s.io"},"versions":[{"version":"v1beta1","resources":[
    {"resource":"resourceclaims","responseKind":{"group":"","version":"","kind":"ResourceClaim"},
     "scope":"Namespaced","singularResource":"resourceclaim","verbs":["get"]},
    {"resource":"resourceslices","responseKind":{"group":"","version":"","kind":"ResourceSlice"},
     "scope":"Cluster","singularResource":"resourceslice","verbs":["list"]}]}]}]})";

class ApiClaimsTest : public testing::Test {
 protected:
  static kube::ClientOptions OneTry() {
    kube::ClientOptions options;
    options.max_tries = 1;
    return options;
  }
  void AnswerDiscovery() { api_.Json(200, kNoCore).Json(200, kGroups); }

  net::EventLoop loop_{"test"};
  ManualClock clock_;
  kube::ScriptedApi api_;
  std::unique_ptr<kube::Transport> transport_ =
      kube::MakeHandlerTransport(loop_, api_.handler(), clock_);
  kube::Client client_{*transport_, clock_, OneTry()};
  kube::Discovery discovery_{client_, clock_};
  std::unique_ptr<cuda::ClaimReader> claims_ = MakeApiClaims(client_, discovery_, clock_);
  const WaitLimit limit_ = WaitLimit::Forever();
};

TEST_F(ApiClaimsTest, PodsAndClaimsAreThoseOfTheNamespace) {
  api_.Json(200, R"({"kind":"Pod","metadata":{"name":"p"}})");
  AnswerDiscovery();
  api_.Json(200, R"({"kind":"ResourceClaim","metadata":{"name":"c"}})");
  ASSERT_OK_AND_ASSIGN(const json::Blob pod, claims_->Pod("team", "p", limit_));
  EXPECT_TRUE(pod.view()["metadata"]["name"].Equals("p"));
  ASSERT_OK_AND_ASSIGN(const json::Blob claim, claims_->Claim("team", "c", limit_));
  EXPECT_TRUE(claim.view()["metadata"]["name"].Equals("c"));
  EXPECT_THAT(api_.request_lines(),
              ElementsAre("GET /api/v1/namespaces/team/pods/p", "GET /api", "GET /apis",
                          "GET /apis/resource.k8s.io/v1beta1/namespaces/team/resourceclaims/c"));
}

TEST_F(ApiClaimsTest, SlicesAreThoseOfTheNodeAndOfTheDriverOfGpus) {
  AnswerDiscovery();
  api_.Json(200, R"({"kind":"ResourceSliceList","metadata":{"resourceVersion":"7"},"items":[
    {"spec":{"nodeName":"n1"}},{"spec":{"nodeName":"n1"}}]})");
  ASSERT_OK_AND_ASSIGN(const auto slices, claims_->SlicesOfNode("n1", limit_));
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_TRUE(slices[1].view()["spec"]["nodeName"].Equals("n1"));
  EXPECT_EQ(api_.request_lines().back(),
            "GET /apis/resource.k8s.io/v1beta1/resourceslices?"
            "fieldSelector=spec.nodeName%3Dn1%2Cspec.driver%3Dgpu.nvidia.com");
}

TEST_F(ApiClaimsTest, WhatTheServerRefusesIsAnError) {
  AnswerDiscovery();
  api_.Failure(NotFoundError("gone")).Failure(Status(Code::kPermissionDenied, "not for you"));
  EXPECT_CODE(Code::kNotFound, claims_->Claim("team", "c", limit_));
  EXPECT_CODE(Code::kPermissionDenied, claims_->SlicesOfNode("n1", limit_));
  api_.Failure(UnavailableError("later"));
  EXPECT_CODE(Code::kUnavailable, claims_->Pod("team", "p", limit_));
}

TEST_F(ApiClaimsTest, AServerWithoutClaimsIsTold) {
  api_.Json(200, kNoCore).Json(200, kNoCore);
  EXPECT_CODE(Code::kNotFound, claims_->Claim("team", "c", limit_));
}

// A container waits for the answer: not for as long as its whole capture may take.
TEST_F(ApiClaimsTest, AServerThatSaysNothingIsNotWaitedForForLong) {
  std::unique_ptr<http::ResponseWriter> held;
  api_.Then([&](const http::Request&, std::unique_ptr<http::ResponseWriter> writer) {
    held = std::move(writer);
    clock_.Advance(std::chrono::seconds(11));
  });
  EXPECT_CODE(Code::kDeadlineExceeded, claims_->Pod("team", "p", limit_));
}

}  // namespace
}  // namespace hearth::agent
