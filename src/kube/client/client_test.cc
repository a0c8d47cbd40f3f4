#include "kube/client/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "json/value.h"
#include "kube/client/testing/scripted_api.h"
#include "kube/model/api_status.h"

namespace hearth::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const ObjectKey kKey{"ns", "name"};
const json::Blob kBody =
    json::Value::Object({{"metadata", json::Value::Object({{"name", "name"}})}}).ToBlob();

ClientOptions WithoutTimeout() {
  ClientOptions options;
  // Then nobody but a client between two tries waits on the manual clock.
  options.request_timeout = Duration::max();
  return options;
}

class ClientTest : public ::testing::Test {
 protected:
  void Use(ClientOptions options) {
    client_ = std::make_unique<Client>(*transport_, clock_, std::move(options));
  }
  // Calls in the background, so that the test can turn the clock meanwhile.
  template <typename Call>
  auto Async(Call call) {
    return std::async(std::launch::async, std::move(call));
  }
  auto AsyncGet() {
    return Async([this] { return client_->Get(types::Pods(), kKey, WaitLimit::Forever()); });
  }

  net::EventLoop loop_{"test"};
  ManualClock clock_;
  ScriptedApi api_;
  std::unique_ptr<Transport> transport_ = MakeHandlerTransport(loop_, api_.handler(), clock_);
  std::unique_ptr<Client> client_ = std::make_unique<Client>(*transport_, clock_, WithoutTimeout());
  const WaitLimit limit_ = WaitLimit::Forever();
};

TEST_F(ClientTest, EachVerbGoesWhereItBelongs) {
  for (int i = 0; i < 8; ++i) {
    api_.Json(200, R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"}})");
  }
  ASSERT_OK_AND_ASSIGN(const Object pod, client_->Get(types::Pods(), kKey, limit_));
  EXPECT_EQ(pod.meta().name(), "x");
  EXPECT_OK(client_->Create(types::Pods(), "ns", kBody.view(), limit_));
  EXPECT_OK(client_->CreateSubresource(types::Pods(), kKey, kBody.view(), limit_,
                                       {.subresource = "binding"}));
  EXPECT_OK(client_->Update(types::Pods(), kKey, kBody.view(), limit_, {.subresource = "status"}));
  EXPECT_OK(client_->Patch(types::Pods(), kKey, PatchType::kMerge, kBody.view(), limit_,
                           {.field_manager = "other"}));
  EXPECT_OK(client_->Apply(types::Pods(), kKey, kBody.view(), limit_, {.force = true}));
  EXPECT_OK(client_->Delete(types::Pods(), kKey, limit_));
  EXPECT_OK(client_->DeleteCollection(types::Pods(), "ns", limit_, {.label_selector = "a"}));
  EXPECT_THAT(api_.request_lines(),
              ElementsAre("GET /api/v1/namespaces/ns/pods/name",
                          "POST /api/v1/namespaces/ns/pods?fieldManager=hearth",
                          "POST /api/v1/namespaces/ns/pods/name/binding?fieldManager=hearth",
                          "PUT /api/v1/namespaces/ns/pods/name/status?fieldManager=hearth",
                          "PATCH /api/v1/namespaces/ns/pods/name?fieldManager=other",
                          "PATCH /api/v1/namespaces/ns/pods/name?fieldManager=hearth&force=true",
                          "DELETE /api/v1/namespaces/ns/pods/name",
                          "DELETE /api/v1/namespaces/ns/pods?labelSelector=a"));
}

// To the API server, the path of an object without a name is that of all of them.
TEST_F(ClientTest, NothingIsSentForAnObjectWithoutAName) {
  const ObjectKey nameless{"ns", ""};
  const auto deleted = client_->Delete(types::Pods(), nameless, limit_);
  EXPECT_CODE(Code::kInvalid, deleted);
  EXPECT_EQ(deleted.status().message(), "delete pods ns/: the name of the object is missing");
  EXPECT_CODE(Code::kInvalid, client_->Get(types::Pods(), nameless, limit_));
  EXPECT_CODE(Code::kInvalid, client_->Update(types::Pods(), nameless, kBody.view(), limit_));
  EXPECT_CODE(Code::kInvalid, client_->Apply(types::Pods(), nameless, kBody.view(), limit_));
  EXPECT_CODE(Code::kInvalid, client_->CreateSubresource(types::Pods(), nameless, kBody.view(),
                                                         limit_, {.subresource = "eviction"}));
  EXPECT_TRUE(api_.requests().empty());
}

TEST_F(ClientTest, FailuresSayWhatWasDone) {
  api_.Failure(NotFoundError("pods \"name\" not found"));
  const auto get = client_->Get(types::Pods(), kKey, limit_);
  EXPECT_CODE(Code::kNotFound, get);
  EXPECT_EQ(get.status().reason(), reason::kNotFound);
  EXPECT_THAT(std::string(get.status().message()),
              StartsWith("get pods ns/name: pods \"name\" not found"));
  api_.Failure(ConflictError("changed"));
  const auto update =
      client_->Update(types::Deployments(), kKey, kBody.view(), limit_, {.subresource = "status"});
  EXPECT_THAT(std::string(update.status().message()),
              StartsWith("update deployments.apps/status ns/name: changed"));
  api_.Failure(Status(Code::kPermissionDenied, "Forbidden", "no"));
  EXPECT_THAT(std::string(client_->List(types::Pods(), "ns", limit_).status().message()),
              StartsWith("list pods in ns: no"));
}

TEST_F(ClientTest, AnAnswerThatIsNoObjectIsAnError) {
  for (const char* body : {"", "hello", "[]", "{\"a\":"}) {
    api_.Json(200, body);
    EXPECT_CODE(Code::kInternal, client_->Get(types::Pods(), kKey, limit_));
  }
}

TEST_F(ClientTest, AnObjectOverTheLimitIsRefused) {
  ClientOptions options = WithoutTimeout();
  options.max_object_bytes = 10;
  Use(options);
  api_.Json(200, R"({"a":"0123456789"})");
  EXPECT_CODE(Code::kExhausted, client_->Get(types::Pods(), kKey, limit_));
}

TEST_F(ClientTest, WaitsAsLongAsTheServerAsks) {
  api_.Failure(ExhaustedError("busy"), {{"Retry-After", "7"}}).Json(200, "{}");
  auto pod = AsyncGet();
  clock_.AwaitWaiters(1);
  clock_.Advance(milliseconds(6999));
  clock_.AwaitWaiters(1);
  EXPECT_EQ(api_.requests().size(), 1u);
  clock_.Advance(milliseconds(1));
  EXPECT_OK(pod.get());
  EXPECT_EQ(api_.requests().size(), 2u);
}

TEST_F(ClientTest, ARetryAfterDateCountsFromNow) {
  // The manual clock starts at Tue, 14 Nov 2023 22:13:20 GMT.
  api_.Answer({503, {{"Retry-After", "Tue, 14 Nov 2023 22:13:25 GMT"}}, ""}).Json(201, "{}");
  auto pod = Async([&] { return client_->Create(types::Pods(), "ns", kBody.view(), limit_); });
  clock_.AwaitWaiters(1);
  clock_.Advance(seconds(4));
  clock_.AwaitWaiters(1);
  EXPECT_EQ(api_.requests().size(), 1u);
  clock_.Advance(seconds(1));
  EXPECT_OK(pod.get());
}

TEST_F(ClientTest, BacksOffBetweenTriesAndGivesUp) {
  for (int i = 0; i < 10; ++i) {
    api_.Failure(InternalError("boom"));
  }
  auto pod = AsyncGet();
  for (const auto delay : {100, 200, 400, 800}) {
    clock_.AwaitWaiters(1);
    clock_.Advance(milliseconds(delay));
  }
  EXPECT_CODE(Code::kInternal, pod.get());
  EXPECT_EQ(api_.requests().size(), 5u);
}

TEST_F(ClientTest, WritesAreNotRepeatedWhereTheServerMayHaveActed) {
  for (const int status : {500, 502, 503, 504}) {
    api_.Json(status, "");
    EXPECT_FALSE(client_->Create(types::Pods(), "ns", kBody.view(), limit_).ok());
  }
  EXPECT_EQ(api_.requests().size(), 4u);
}

TEST_F(ClientTest, TooLongAWaitIsTheCallersChoice) {
  api_.Failure(ExhaustedError("busy"), {{"Retry-After", "3600"}});
  const auto pod = client_->Get(types::Pods(), kKey, limit_);
  EXPECT_CODE(Code::kExhausted, pod);
  EXPECT_EQ(pod.status().retry_after(), seconds(3600));
}

TEST_F(ClientTest, NoWaitPastTheDeadline) {
  api_.Failure(ExhaustedError("busy"), {{"Retry-After", "7"}});
  const auto pod = client_->Get(types::Pods(), kKey, WaitLimit::For(clock_, seconds(7)));
  EXPECT_CODE(Code::kExhausted, pod);
}

TEST_F(ClientTest, AStopEndsTheWait) {
  api_.Failure(ExhaustedError("busy"), {{"Retry-After", "7"}});
  std::stop_source stop;
  auto pod = Async([&] {
    return client_->Get(types::Pods(), kKey, {SteadyTime::max(), stop.get_token()});
  });
  clock_.AwaitWaiters(1);
  stop.request_stop();
  const auto result = pod.get();
  EXPECT_CODE(Code::kCancelled, result);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("busy"));
}

TEST_F(ClientTest, EachRequestHasATimeout) {
  ClientOptions options;
  options.request_timeout = seconds(5);
  Use(options);
  api_.Stream({}, true);
  auto pod = AsyncGet();
  clock_.AwaitWaiters(1);
  clock_.Advance(seconds(5));
  EXPECT_CODE(Code::kDeadlineExceeded, pod.get());
}

TEST_F(ClientTest, OwnLimitOnRequestsSpreadsThem) {
  ClientOptions options = WithoutTimeout();
  options.requests_per_second = 1;
  Use(options);
  api_.Json(200, "{}").Json(200, "{}");
  EXPECT_OK(client_->Get(types::Pods(), kKey, limit_));
  auto pod = AsyncGet();
  clock_.AwaitWaiters(1);
  EXPECT_EQ(api_.requests().size(), 1u);
  clock_.Advance(seconds(1));
  EXPECT_OK(pod.get());
}

TEST_F(ClientTest, WarningsAreToldOnce) {
  std::vector<std::string> told;
  ClientOptions options = WithoutTimeout();
  options.on_warning = [&](std::string_view text) { told.emplace_back(text); };
  Use(options);
  for (int i = 0; i < 2; ++i) {
    api_.Answer({200, {{"Warning", R"(299 - "old field")"}}, "{}"});
    EXPECT_OK(client_->Get(types::Pods(), kKey, limit_));
  }
  EXPECT_THAT(told, ElementsAre("old field"));
}

TEST_F(ClientTest, DeleteTellsWhetherItIsGone) {
  const std::pair<const char*, bool> cases[] = {
      {R"({"kind":"Status","apiVersion":"v1","status":"Success"})", true},
      {R"({"kind":"Pod","metadata":{}})", true},
      {R"({"kind":"Pod","metadata":{"deletionTimestamp":"t","deletionGracePeriodSeconds":0}})",
       true},
      {R"({"kind":"Pod","metadata":{"deletionTimestamp":"t","deletionGracePeriodSeconds":30}})",
       false},
      {R"({"kind":"Pod","metadata":{"deletionTimestamp":"t","finalizers":["a"]}})", false},
      {R"({"kind":"Namespace","metadata":{"deletionTimestamp":"t"},"spec":{"finalizers":["kubernetes"]}})",
       false},
  };
  for (const auto& [body, gone] : cases) {
    api_.Json(200, body);
    ASSERT_OK_AND_ASSIGN(const DeleteOutcome outcome, client_->Delete(types::Pods(), kKey, limit_));
    EXPECT_EQ(outcome.gone, gone) << body;
  }
}

TEST_F(ClientTest, RawGoesAnywhere) {
  api_.Answer({200, {}, "ok"});
  ASSERT_OK_AND_ASSIGN(const http::Response answer,
                       client_->Raw({"GET", "/readyz", {}, ""}, limit_));
  EXPECT_EQ(answer.body, "ok");
  api_.Answer({403, {}, "no"});
  const auto refused = client_->Raw({"GET", "/metrics", {}, ""}, limit_);
  EXPECT_CODE(Code::kPermissionDenied, refused);
  EXPECT_THAT(std::string(refused.status().message()), StartsWith("GET /metrics: "));
}

TEST_F(ClientTest, UpdateWithRetryReadsAgainAfterAConflict) {
  api_.Json(200, R"({"metadata":{"resourceVersion":"1"}})")
      .Failure(ConflictError("changed"))
      .Json(200, R"({"metadata":{"resourceVersion":"2"}})")
      .Json(200, R"({"metadata":{"resourceVersion":"3"}})");
  ASSERT_OK_AND_ASSIGN(const Object updated,
                       UpdateWithRetry(*client_, types::Pods(), kKey, limit_, [](json::Value& pod) {
                         pod.MakePath("spec.x") = 1;
                         return Status::Ok();
                       }));
  EXPECT_EQ(updated.meta().resource_version(), "3");
  EXPECT_EQ(api_.requests().at(3).body, R"({"metadata":{"resourceVersion":"2"},"spec":{"x":1}})");
}

TEST_F(ClientTest, UpdateWithRetryEndsWhenTheChangeFailsOrConflictsGoOn) {
  api_.Json(200, "{}");
  EXPECT_CODE(Code::kExhausted, UpdateWithRetry(*client_, types::Pods(), kKey, limit_,
                                                [](json::Value&) { return ExhaustedError("no"); }));
  EXPECT_EQ(api_.requests().size(), 1u);
  for (int i = 0; i < 5; ++i) {
    api_.Json(200, "{}").Failure(ConflictError("changed"));
  }
  EXPECT_CODE(Code::kConflict, UpdateWithRetry(*client_, types::Pods(), kKey, limit_,
                                               [](json::Value&) { return Status::Ok(); }));
  EXPECT_EQ(api_.requests().size(), 11u);
}

}  // namespace
}  // namespace hearth::kube
